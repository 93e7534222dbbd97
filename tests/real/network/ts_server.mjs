// An agent on the TypeScript SDK, served over HTTP and WebSocket at /acp: `node ts_server.mjs NODE_MODULES`.
// Prints its URL. It does what py_agent.py does:
//
//     READ notes.txt       a tool call; the file comes from the client
//     WRITE list.txt Eggs  a tool call; permission is asked, then the client writes the file
//     HOLD                 a few words, then silence until it is cancelled
//     anything else        the same text back, in two pieces

import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

const kit = createRequire(path.resolve(process.argv[2], "index.js"));
const from_kit = (name) => import(pathToFileURL(kit.resolve(name)));
const acp = await from_kit("@agentclientprotocol/sdk");
const { AcpServer } = await from_kit("@agentclientprotocol/sdk/experimental/server");
const { createNodeHttpHandler, createNodeWebSocketUpgradeHandler } = await from_kit(
  "@agentclientprotocol/sdk/experimental/node",
);
const { WebSocketServer } = kit("ws");

const MODELS = ["small", "big"];
const { session, initialize } = acp.methods.agent;
const { fs } = acp.methods.client;

function createAgent() {
  const sessions = new Map();

  const options = (one) => [
    {
      type: "select",
      id: "model",
      name: "Model",
      category: "model",
      currentValue: one.model,
      options: MODELS.map((value) => ({ value, name: value[0].toUpperCase() + value.slice(1) })),
    },
  ];

  async function prompt({ params: { sessionId, prompt }, client }) {
    const one = sessions.get(sessionId);
    const cancelled = new Promise((resolve) => (one.cancel = resolve));
    const tell = (update) => client.notify("session/update", { sessionId, update });
    const say = (text) => tell({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
    const call = `call_${randomUUID().slice(0, 8)}`;
    const text = prompt.map((block) => block.text ?? "").join("");
    const [, word, rest] = /^(\S+) ?([^]*)$/.exec(text);
    if (word === "READ") {
      await tell({ sessionUpdate: "tool_call", toolCallId: call, title: "Read", kind: "read", status: "pending" });
      const asked = { sessionId, path: path.join(one.cwd, rest) };
      const { content } = await client.request(fs.readTextFile, asked);
      const shown = [{ type: "content", content: { type: "text", text: content } }];
      await tell({ sessionUpdate: "tool_call_update", toolCallId: call, status: "completed", content: shown });
      await say(`The file begins with ${content.split("\n")[0]}`);
    } else if (word === "WRITE") {
      const [, name, content] = /^(\S+) ([^]*)$/.exec(rest);
      const about = { toolCallId: call, title: "Write", kind: "edit", status: "pending" };
      await tell({ sessionUpdate: "tool_call", ...about });
      const asked = await client.request(acp.methods.client.session.requestPermission, {
        sessionId,
        toolCall: about,
        options: [
          { optionId: `allow_once-${call}`, name: "Allow", kind: "allow_once" },
          { optionId: `reject_once-${call}`, name: "Reject", kind: "reject_once" },
        ],
      });
      if (asked.outcome.optionId !== `allow_once-${call}`) {
        await tell({ sessionUpdate: "tool_call_update", toolCallId: call, status: "failed" });
        return { stopReason: "end_turn" };
      }
      await tell({ sessionUpdate: "tool_call_update", toolCallId: call, status: "in_progress" });
      await client.request(fs.writeTextFile, { sessionId, path: path.join(one.cwd, name), content });
      await tell({ sessionUpdate: "tool_call_update", toolCallId: call, status: "completed" });
    } else if (word === "HOLD") {
      await say("Let me think");
      await cancelled;
      return { stopReason: "cancelled" };
    } else {
      await say(`${word} `);
      await say(rest);
    }
    return { stopReason: "end_turn" };
  }

  return acp
    .agent({ name: "ts-agent" })
    .onRequest(initialize, ({ params }) => ({
      protocolVersion: Math.min(params.protocolVersion, acp.PROTOCOL_VERSION),
      agentCapabilities: {},
      agentInfo: { name: "ts-agent", title: "TypeScript SDK agent", version: "1" },
    }))
    .onRequest(session.new, ({ params }) => {
      const sessionId = randomUUID();
      const one = { cwd: params.cwd, model: MODELS[0], cancel: () => {} };
      sessions.set(sessionId, one);
      return { sessionId, configOptions: options(one) };
    })
    .onRequest(session.setConfigOption, ({ params }) => {
      const one = sessions.get(params.sessionId);
      one.model = params.value;
      return { configOptions: options(one) };
    })
    .onRequest(session.prompt, prompt)
    .onNotification(session.cancel, ({ params }) => sessions.get(params.sessionId).cancel());
}

const served = new AcpServer({ createAgent });
const listener = createServer(createNodeHttpHandler(served));
listener.on("upgrade", createNodeWebSocketUpgradeHandler(served, new WebSocketServer({ noServer: true })));
listener.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${listener.address().port}/acp`));
process.on("SIGTERM", () => process.exit(0));
