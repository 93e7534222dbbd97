// The tabs of the page: their labels, in their order, and the view of each, one module or a directory below `views`.

import { compare } from "./views/compare.js";
import { messages } from "./views/messages.js";
import { model } from "./views/model.js";
import { overview } from "./views/overview.js";
import { sequence } from "./views/sequence.js";
import { state } from "./views/state.js";
import { timeline } from "./views/timeline.js";
import { transcript } from "./views/transcript.js";

const TABS = {
  Compare: compare,
  Overview: overview,
  Timeline: timeline,
  Sequence: sequence,
  Messages: messages,
  Transcript: transcript,
  State: state,
  Model: model,
};

/** @type {import("./page.js").View[]} */
export const VIEWS = Object.entries(TABS).map(([title, view]) => ({ ...view, title }));
