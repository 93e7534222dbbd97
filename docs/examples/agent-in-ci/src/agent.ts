// A small agent: it passes each prompt to a language model, and the answer to the client as it comes.

import { randomUUID } from "node:crypto";
import { Readable, Writable } from "node:stream";
import { agent, methods, ndJsonStream, PROTOCOL_VERSION, RequestError } from "@agentclientprotocol/sdk";
import type { SessionConfigOption } from "@agentclientprotocol/sdk";
import { answer, type Message } from "./model.js";

type Session = { style: string; history: Message[]; turn?: AbortController };

const STYLES: Record<string, string> = { brief: "Answer in one sentence.", full: "Explain each step." };
const sessions = new Map<string, Session>();

function find(id: string): Session {
  const session = sessions.get(id);
  if (session === undefined) throw RequestError.invalidParams({ sessionId: id });
  return session;
}

function options(session: Session): SessionConfigOption[] {
  const choices = Object.keys(STYLES).map((value) => ({ value, name: value }));
  return [{ id: "style", name: "Style", type: "select", currentValue: session.style, options: choices }];
}

agent({ name: "agent-in-ci" })
  .onRequest(methods.agent.initialize, () => ({
    protocolVersion: PROTOCOL_VERSION,
    agentInfo: { name: "agent-in-ci", version: "1.0.0" },
    agentCapabilities: {},
    authMethods: [],
  }))
  .onRequest(methods.agent.session.new, () => {
    const sessionId = randomUUID();
    const session = { style: "brief", history: [] };
    sessions.set(sessionId, session);
    return { sessionId, configOptions: options(session) };
  })
  .onRequest(methods.agent.session.setConfigOption, ({ params }) => {
    const session = find(params.sessionId);
    const value = String(params.value);
    if (params.configId !== "style" || !(value in STYLES)) throw RequestError.invalidParams();
    session.style = value;
    return { configOptions: options(session) };
  })
  .onRequest(methods.agent.session.prompt, async ({ params, client }) => {
    const session = find(params.sessionId);
    const turn = (session.turn = new AbortController());
    const text = params.prompt.map((block) => (block.type === "text" ? block.text : "")).join("");
    session.history.push({ role: "user", content: text });
    const said: Message = { role: "assistant", content: "" };
    try {
      const system: Message = { role: "system", content: STYLES[session.style] };
      for await (const piece of answer([system, ...session.history], turn.signal)) {
        said.content += piece;
        const content = { type: "text" as const, text: piece };
        const update = { sessionUpdate: "agent_message_chunk" as const, content };
        await client.notify(methods.client.session.update, { sessionId: params.sessionId, update });
      }
    } catch (error) {
      if (!turn.signal.aborted) throw error;
      return { stopReason: "cancelled" };
    } finally {
      session.history.push(said);
    }
    return { stopReason: "end_turn" };
  })
  .onNotification(methods.agent.session.cancel, ({ params }) => find(params.sessionId).turn?.abort())
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>));
