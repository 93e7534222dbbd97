"""One module for each wire form: what its requests send to the model, and what its events bring.

- `form`              what a form is
- `openai_chat`       OpenAI chat completions, and everything that copies them
- `openai_responses`  OpenAI responses, over HTTP and over a WebSocket
- `anthropic`         Anthropic messages, also at Vertex and Bedrock
- `gemini`            Gemini `generateContent`, also at Vertex and Code Assist
- `bedrock`           Bedrock `Converse`, and Nova's own form, which is the same
- `ollama`            Ollama's own chat
- `completions`       a text that continues another: OpenAI's first form, Ollama's `/api/generate`
"""
