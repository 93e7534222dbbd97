// The page of one or more traces.

import { start } from "./app.js";
import { VIEWS } from "./views.js";

start(VIEWS);
