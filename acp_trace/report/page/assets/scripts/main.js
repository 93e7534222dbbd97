// The page of one or more traces.

import { start } from "./app.js";
import { VIEWS } from "./tabs.js";

start(VIEWS);
