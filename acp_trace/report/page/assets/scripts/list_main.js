// The page of all traces, which only a server has.

import { start } from "./app.js";
import { list } from "./views/list.js";

start([list]);
