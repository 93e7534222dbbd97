// The language model: any server with the chat completions of OpenAI, at OPENAI_BASE_URL.

export type Message = { role: "system" | "user" | "assistant"; content: string };

/** Yields the answer to `messages` piece by piece. Rejects if the server reports an error, or `signal` aborts. */
export async function* answer(messages: Message[], signal: AbortSignal): AsyncGenerator<string> {
  const base = process.env.OPENAI_BASE_URL ?? "https://api.openai.com/v1";
  const response = await fetch(`${base}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${process.env.OPENAI_API_KEY}` },
    body: JSON.stringify({ model: process.env.OPENAI_MODEL ?? "gpt-5-mini", stream: true, messages }),
    signal,
  });
  if (!response.ok || response.body === null) throw new Error(`the model answered ${response.status}`);
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of response.body) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (!line.startsWith("data: {")) continue;
      const piece = JSON.parse(line.slice("data: ".length)).choices[0]?.delta?.content;
      if (piece) yield piece;
    }
  }
}
