#!/usr/bin/env node
// `npx acp-trace …`: finds the Python tool, or has uv or pipx fetch it, and becomes it as far as Node can.
// It reads no file and no address: what is run is one of the four commands below.

"use strict";

const { spawn } = require("node:child_process");
const { accessSync, constants, realpathSync, statSync } = require("node:fs");
const { constants: { signals } } = require("node:os");
const { delimiter, join, sep } = require("node:path");

const { version } = require("./package.json");

const IS_WINDOWS = process.platform === "win32";
const ENDINGS = IS_WINDOWS ? [".exe"] : [""];
const FROM = process.env.ACP_TRACE_FROM || "";
const SPEC = FROM || `acp-trace==${version}`;

/** Each command that may have the tool, and the arguments in front of those of the user. */
const WAYS = [
  ...(FROM ? [] : [["acp-trace", []]]),
  ["uv", ["tool", "run", "--quiet", "--from", SPEC, "acp-trace"]],
  ["pipx", ["run", "--quiet", "--spec", SPEC, "acp-trace"]],
  ...(FROM ? [] : [["python3", ["-m", "acp_trace"]]]),
];
/** Signals that somebody sends to this process alone. A terminal's Ctrl-C reaches both. */
const PASSED_ON = ["SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2"];

/** The path of a program on PATH, which is never a wrapper like this one. */
function found(name) {
  for (const directory of (process.env.PATH || "").split(delimiter)) {
    for (const ending of directory ? ENDINGS : []) {
      const path = join(directory, name + ending);
      try {
        accessSync(path, constants.X_OK);
        if (statSync(path).isFile() && !realpathSync(path).split(sep).includes("node_modules") && realpathSync(path) !== realpathSync(__filename)) return path;
      } catch {
        // It is not there.
      }
    }
  }
  return "";
}

function main() {
  const way = WAYS.map(([name, before]) => [found(name), before]).find(([path]) => path);
  if (!way) {
    console.error("acp-trace is written in Python: install uv or pipx and try again, or run `pip install acp-trace`");
    process.exit(127);
  }
  const [path, before] = way;
  let child = null;
  for (const name of PASSED_ON.filter((each) => each in signals)) process.on(name, () => child?.kill(name));
  process.on("SIGINT", () => { if (!process.stdin.isTTY) child?.kill("SIGINT"); });
  child = spawn(path, [...before, ...process.argv.slice(2)], { stdio: "inherit" });
  child.on("error", (error) => {
    console.error(`acp-trace: cannot run ${path}: ${error.message}`);
    process.exit(126);
  });
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

main();
