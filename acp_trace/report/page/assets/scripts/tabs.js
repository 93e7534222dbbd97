// The tabs of the page, in their order: each is a view, one module or a directory below `views`. A view's `name`, or its
// `title`, is the label of its tab.

import { compare } from "./views/compare.js";
import { messages } from "./views/messages.js";
import { model } from "./views/model.js";
import { overview } from "./views/overview.js";
import { sequence } from "./views/sequence.js";
import { state } from "./views/state.js";
import { timeline } from "./views/timeline.js";
import { transcript } from "./views/transcript.js";

/** @type {import("./page.js").View[]} */
export const VIEWS = [compare, overview, timeline, sequence, messages, transcript, state, model];
