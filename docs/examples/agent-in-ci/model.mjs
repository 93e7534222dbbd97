// A stand-in for a language model, to record without a key: it says the prompt's words again, one after the other.

import { createServer } from "node:http";
import { setTimeout as pause } from "node:timers/promises";

const server = createServer(async (request, response) => {
  let body = "";
  for await (const text of request) body += text;
  const { messages } = JSON.parse(body);
  const words = `You asked: ${messages.at(-1).content}`.split(/(?<= )/);
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (delta, finish_reason = null) =>
    response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`);
  for (const content of words) {
    if (response.destroyed) return;
    send({ content });
    await pause(100);
  }
  send({}, "stop");
  response.end("data: [DONE]\n\n");
});

server.listen(Number(process.env.PORT ?? 8080), "127.0.0.1", () => {
  console.log(`OPENAI_BASE_URL=http://127.0.0.1:${server.address().port}/v1`);
});
