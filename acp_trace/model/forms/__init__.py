"""One module for each wire form: what a request of it tells the model, and what its events bring.

- `form`              what a form is
- `openai_chat`       OpenAI chat completions, and all that copies them
- `openai_responses`  OpenAI responses, over HTTP and over a WebSocket
- `anthropic`         Anthropic messages, also at Vertex and Bedrock
- `gemini`            Gemini `generateContent`, also at Vertex and Code Assist
- `bedrock`           Bedrock `Converse`, and Nova's own form, which is the same
- `ollama`            Ollama's own chat
- `completions`       one text that goes on from another: OpenAI's first form, Ollama's `/api/generate`
"""
