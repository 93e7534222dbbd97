// A client on the TypeScript SDK: `node ts_client.mjs NODE_MODULES URL MORE FOLDER…`. It does what py_client.py does:
// a session about each folder, all at once, with the same work in each. With MORE `qwen`, sets that agent's option and
// gives it whole paths. Over HTTP or a WebSocket, as URL says; or to an agent that it starts, whose command URL is,
// as JSON. Prints JSON: what it saw of each session.

import { spawn } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { Readable, Writable } from "node:stream";
import { pathToFileURL } from "node:url";

const [modules, url, more, ...folders] = process.argv.slice(2);
const kit = createRequire(path.resolve(modules, "index.js"));
const from_kit = (name) => import(pathToFileURL(kit.resolve(name)));
const acp = await from_kit("@agentclientprotocol/sdk");
const { createHttpStream } = await from_kit("@agentclientprotocol/sdk/experimental/http-client");
const { createWebSocketStream } = await from_kit("@agentclientprotocol/sdk/experimental/ws-client");
const { agent: methods, client: own } = acp.methods;

const seen = new Map();
const spoke = new Map();
const note = (name, ...what) => seen.set(name, [...(seen.get(name) ?? []), what]);

const client = acp
  .client({ name: "ts-client" })
  .onNotification(own.session.update, ({ params: { sessionId, update } }) => {
    const { toolCallId, ...said } = update;
    note(sessionId, "update", said);
    if (update.sessionUpdate === "agent_message_chunk") spoke.get(sessionId)?.();
  })
  .onRequest(own.session.requestPermission, ({ params: { sessionId, options } }) => {
    note(sessionId, "permission", options.map(({ kind, name }) => [kind, name]));
    const { optionId } = options.find(({ kind }) => kind === "allow_once");
    return { outcome: { outcome: "selected", optionId } };
  })
  .onRequest(own.fs.readTextFile, async ({ params }) => {
    note(params.sessionId, "read", params.path);
    return { content: await readFile(params.path, "utf8") };
  })
  .onRequest(own.fs.writeTextFile, async ({ params }) => {
    note(params.sessionId, "write", params.path, params.content);
    await writeFile(params.path, params.content);
    return {};
  });

async function work(agent, cwd) {
  const { sessionId } = await agent.request(methods.session.new, { cwd, mcpServers: [] });
  const prompt = async (text) => {
    const answer = await agent.request(methods.session.prompt, { sessionId, prompt: [{ type: "text", text }] });
    note(sessionId, "answer", text, answer.stopReason);
  };
  const [configId, value] = more === "qwen" ? ["mode", "default"] : ["model", "big"];
  await agent.request(methods.session.setConfigOption, { sessionId, configId, value });
  const where = more === "qwen" ? `${cwd}/` : "";
  await prompt(`READ ${where}notes.txt`);
  await prompt(`WRITE ${where}list.txt Eggs`);
  const spoken = new Promise((resolve) => spoke.set(sessionId, resolve));
  const held = prompt("HOLD on");
  await spoken;
  await agent.notify(methods.session.cancel, { sessionId });
  await held;
  await prompt("Good bye");
  return seen.get(sessionId);
}

let child = null;
function started([program, ...args]) {
  child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
  return acp.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout));
}

const reached = url.startsWith("ws") ? createWebSocketStream : createHttpStream;
const stream = url.startsWith("[") ? started(JSON.parse(url)) : reached(url);
const sessions = await client.connectWith(stream, async (agent) => {
  await agent.request(methods.initialize, {
    protocolVersion: acp.PROTOCOL_VERSION,
    clientCapabilities: { fs: { readTextFile: true, writeTextFile: true } },
    clientInfo: { name: "ts-client", version: "1" },
  });
  return Promise.all(folders.map((folder) => work(agent, folder)));
});
console.log(JSON.stringify({ sessions, listed: null, exit_code: null }));
child?.stdin.end();
