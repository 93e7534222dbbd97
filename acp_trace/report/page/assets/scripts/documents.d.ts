// From the Python classes: docs/script_types.py.

/** All that acp-trace says of a trace. */
export interface Report {
  acp_trace_report: number;
  trace: TraceReport;
  sessions: Array<SessionReport>;
  cancellations: Array<CancellationReport>;
  exchanges: Array<ExchangeReport>;
  latency: Array<Latency>;
  findings: Array<FindingReport>;
  model_calls: Array<ModelCallReport>;
  streams: Array<StreamReport>;
  spent: SpentReport;
  time: TimeReport | null;
  silence: SilenceReport | null;
}

/** The connection as a whole. */
export interface TraceReport {
  id: string;
  started_at: string | null;
  duration_ns: number | null;
  protocol_version: number | null;
  complete: boolean;
  live: boolean;
  lost: Lost;
  damaged: number;
  torn_bytes: number;
  agent: Agent;
  client: Client;
  frames: Counts;
  bytes: Counts;
  odd_frames: Counts;
  logs: number;
  last_log: string | null;
  labels: any;
  meta_merge: string;
  origin: string;
  replay_of: string | null;
  has_times: boolean;
  end: EndReport | null;
  imported: ImportedReport | null;
  transport: string | null;
  faults: Array<string>;
}

/** Frames and bytes that were forwarded and could not be written. */
export interface Lost {
  frames: number;
  bytes: number;
}

/** The agent, as it named itself, and its process. */
export interface Agent {
  name: string | null;
  title: string | null;
  version: string | null;
  argv: any;
  cwd: string | null;
}

/** The client, as it named itself. */
export interface Client {
  name: string | null;
  title: string | null;
  version: string | null;
}

/** How many of each side. */
export interface Counts {
  client: number;
  agent: number;
}

/** How the agent's process ended. */
export interface EndReport {
  exit_code: number | null;
  signal: number | null;
  error: string | null;
  aborted: string | null;
  by_client: boolean;
  client_left?: boolean;
}

/** Of an imported trace: the format of its log, whether senders were inferred, what was not used. */
export interface ImportedReport {
  format: string;
  senders_inferred: boolean;
  unused: number;
}

/** An ACP session. */
export interface SessionReport {
  session_id: string;
  frame: number;
  t_ns: number | null;
  opened_by: string;
  ended_by: string | null;
  cwd: string | null;
  title: string | null;
  replayed: number;
  usage: any;
  turns: Array<TurnReport>;
  outside_turns: OutsideTurns;
  metadata: Metadata;
  config: Config;
  cancellations: Array<CancellationReport>;
  updates: Record<string, number>;
  events: Array<SessionEventReport>;
  name: string;
  parent_session_id: string | null;
  parent_tool_call_id: string | null;
  subagent_ns: number | null;
  opened_frame: number | null;
  opened_ns: number | null;
  forked_from: string | null;
}

/** One session/prompt until it settles. */
export interface TurnReport {
  turn: number;
  frame: number;
  settled_frame: number | null;
  t_ns: number | null;
  duration_ns: number | null;
  stop_reason: string | null;
  error_code: number | null;
  first_update_ns: number | null;
  first_output_ns: number | null;
  prompt: string | null;
  tool_calls: Array<ToolCallReport>;
  permissions: Array<PermissionReport>;
  time: TurnTime | null;
  chunks: number;
  prompt_cut: boolean;
  model_ns: number | null;
  tool_ns: number | null;
  client_ns: number | null;
  own_ns: number | null;
  model_calls: number | null;
  silence_ns: number | null;
  silence_frame: number | null;
  unknown_ns: number | null;
  name: string;
  input_tokens: number | null;
  cached_tokens: number | null;
  output_tokens: number | null;
  cost: any;
  open_ns?: number | null;
  open_time?: TurnTime | null;
}

/** A tool call. */
export interface ToolCallReport {
  id: string;
  frame: number;
  title: string | null;
  kind: string | null;
  status: string | null;
  t_ns: number | null;
  duration_ns: number | null;
  ended_frame: number | null;
  history: Array<ToolCallStepReport>;
  began_ns: number | null;
  parent_id: string | null;
  replayed: boolean;
  over_ns: number | null;
}

/** A status that a tool call took on. */
export interface ToolCallStepReport {
  frame: number;
  t_ns: number | null;
  status: string;
}

/** A session/request_permission. */
export interface PermissionReport {
  frame: number;
  outcome: string;
  option_id: string | null;
  option_kind: string | null;
  wait_ns: number | null;
  t_ns: number | null;
  tool_call_id: string | null;
  title: string | null;
  parent_id: string | null;
}

/** The parts of a turn's duration, ns, as `facts.Turn` has them. */
export interface TurnTime {
  before_output_ns: number;
  tools_ns: number;
  permissions_ns: number;
  requests_ns: number;
  writing_ns: number;
  rest_ns: number;
}

/** What belongs to no turn: replayed, or between turns. */
export interface OutsideTurns {
  tool_calls: Array<ToolCallReport>;
  permissions: Array<PermissionReport>;
}

/** The metadata of a session over time. */
export interface Metadata {
  timeline: Array<MetadataEntry>;
  final: MetadataFinal;
}

/** A session_info_update. */
export interface MetadataEntry {
  frame: number;
  t_ns: number | null;
  replayed: boolean;
  turn: number | null;
  changes: Array<MetadataChangeReport>;
}

/** One leaf of the metadata that changed. `before`, `after`: absent where nothing was, or is. */
export interface MetadataChangeReport {
  path: string;
  before?: any;
  after?: any;
}

/** The metadata at the end; absent fields were never there, or were cleared. */
export interface MetadataFinal {
  title?: string;
  updatedAt?: string;
  _meta?: any;
}

/** The configuration of a session over time. `mode`: the legacy mode at the end. */
export interface Config {
  timeline: Array<ConfigEntryReport>;
  final: any;
  mode: string | null;
}

/** A frame that carried a configuration, or the error in place of one. */
export interface ConfigEntryReport {
  frame: number;
  t_ns: number | null;
  cause: string;
  legacy: boolean;
  requested: Requested | null;
  asked_frame: number | null;
  honoured: boolean | null;
  error_code: number | null;
  changes: Array<ConfigChangeReport>;
  turn: number | null;
}

/** What the client asked to be set. */
export interface Requested {
  config_id: string | null;
  value: any;
}

/** One difference between two states; `option` is None for a change of the order. */
export interface ConfigChangeReport {
  option: string | null;
  change: string;
  before?: any;
  after?: any;
}

/** A cancel and what became of its target. */
export interface CancellationReport {
  kind: string;
  frame: number;
  t_ns: number | null;
  sender: string;
  target: Target | null;
  outcome: string;
  settled_frame: number | null;
  settle_ns: number | null;
  quiesce_ns: number | null;
  updates_after_cancel: number;
  late_updates: number;
  cascade: Array<CascadeReport>;
  model_calls: Array<CancelledCallReport>;
}

/** The request that a cancel was aimed at. */
export interface Target {
  frame: number;
  method: string;
  id: any;
}

/** A request that was under way when the cancel came, or came after it. */
export interface CascadeReport {
  frame: number;
  sender: string;
  method: string;
  outcome: string;
  settle_ns: number | null;
}

/** A model call of the cancelled turn that was open when the cancel came. */
export interface CancelledCallReport {
  call: number;
  aborted: boolean;
  cancel_to_end_ns: number | null;
  output_after_cancel: number | null;
  tokens_after_cancel: number | null;
}

/** An event of a session outside the work of its turns, or a silence of the agent in its text. */
export interface SessionEventReport {
  turn: number | null;
  frame: number;
  t_ns: number | null;
  kind: string;
  status: string | null;
  text: string;
  took_ns: number | null;
}

/** A request and its response. */
export interface ExchangeReport {
  frame: number;
  t_ns: number | null;
  response_frame: number | null;
  sender: string;
  method: string;
  id: any;
  session_id: string | null;
  latency_ns: number | null;
  outcome: string;
  error_code: number | null;
  error_message: string | null;
  error_data: string | null;
  request_bytes: number;
  stderr?: Array<StderrLine>;
}

/** A line of stderr; `frame`: after which one it came, where that is known. */
export interface StderrLine {
  t_ns: number;
  line: string;
  frame?: number;
}

/** One method of one sender. The times are ns, over answered exchanges; None if none has one. */
export interface Latency {
  sender: string;
  method: string;
  count: number;
  answered: number;
  open: number;
  errors: number;
  min_ns: number | null;
  p50_ns: number | null;
  p95_ns: number | null;
  max_ns: number | null;
}

/** Something in a trace that breaks a rule or is unusual, and the requirements that it shows broken. */
export interface FindingReport {
  code: string;
  severity: string;
  blame: string;
  frame: number;
  session_id: string | null;
  count: number;
  message: string;
  path: string | null;
  expected: string | null;
  consequence_of: number | null;
  t_ns: number | null;
  requirements: Array<string>;
  stderr?: Array<StderrLine>;
}

/** A call of a language model. */
export interface ModelCallReport {
  call: number;
  exchange: number;
  provider: string;
  model: string | null;
  session_id: string | null;
  turn: number | null;
  joined_by: string | null;
  started_ns: number;
  first_byte_ns: number | null;
  first_token_ns: number | null;
  duration_ns: number | null;
  status: number | null;
  stop_reason: string | null;
  input_tokens: number | null;
  output_tokens: number | null;
  cached_tokens: number | null;
  reasoning_tokens: number | null;
  input_tokens_total: number | null;
  output_tokens_total: number | null;
  tools: any;
  aborted: boolean;
  beside: boolean;
  retry_of: number | null;
  error: string | null;
  cancel_frame: number | null;
  cancel_to_end_ns: number | null;
  output_after_cancel: number | null;
  tokens_after_cancel: number | null;
}

/** A request of HTTP with its response, or a WebSocket. */
export interface StreamReport {
  stream: number;
  t_ns: number | null;
  protocol: string | null;
  method: string | null;
  path: string | null;
  connection_id: string | null;
  session_id: string | null;
  status: number | null;
  content_type: string | null;
  response_ns: number | null;
  duration_ns: number | null;
  ended_by: string | null;
  close_code: number | null;
  failed: string | null;
  unread: string | null;
  body: string | null;
  frame: number | null;
  last_frame: number | null;
  frames: Counts;
}

/** What the trace took. `most`: the name of the turn that cost most, or took most tokens. */
export interface SpentReport {
  input_tokens: number;
  cached_tokens: number;
  output_tokens: number;
  cost: Record<string, number>;
  most: string | null;
}

/** Where the time of the trace went, in ns: the other four add up to `duration_ns`. */
export interface TimeReport {
  duration_ns: number;
  before_ns: number;
  turns_ns: number;
  between_ns: number;
  after_ns: number;
}

/** The longest time without a frame. `until_frame`: what ended it; null: the trace ended. */
export interface SilenceReport {
  t_ns: number;
  duration_ns: number;
  until_frame: number | null;
  owed: Array<OwedReport>;
  model_call: number | null;
}

/** A request that was open through a silence. `side`: who had to answer it. */
export interface OwedReport {
  side: string;
  frame: number;
  method: string;
  session_id: string | null;
}

/** Items of one kind below one heading, in order of time. */
export interface Lane {
  group: string;
  name: string;
  items: Array<Item>;
  rows: number;
  session: string | null;
}

/** A bar, or a mark if it ends where it starts. Times are ns; None: that of the frame. */
export interface Item {
  kind: string;
  start: number | null;
  end: number | null;
  label: string;
  words: string;
  frame: number;
  at: Record<string, string>;
  is_open: boolean;
  pair: string | null;
  shares: Array<[string, number]>;
  row: number;
}

/** A tool that the model may ask for. `schema` is its JSON Schema, or what the provider has instead. */
export interface Tool {
  name: string;
  description: string;
  schema: any;
  options: Record<string, any>;
}

/** One message. Roles are `system`, `user`, `assistant`, `tool`, or the provider's own word. */
export interface PromptMessage {
  role: string;
  parts: Array<Text | Thinking | ToolUse | ToolResult | Media | Other>;
}

/** Words. */
export interface Text {
  type: "text";
  text: string;
}

/** What the model thought. `text` is empty if the provider gave it encrypted only. */
export interface Thinking {
  type: "thinking";
  text: string;
}

/** A tool that the model asked for. `arguments` is JSON; a string if the model wrote no valid JSON. */
export interface ToolUse {
  type: "tool_use";
  id: string | null;
  name: string;
  arguments: any;
}

/** A tool's result, as the agent sent it to the model. `name` only if the provider wants it. */
export interface ToolResult {
  type: "tool_result";
  id: string | null;
  text: string;
  name: string | null;
  is_error: boolean;
}

/** An image, a file or a sound, which is only mentioned: by its address, its name, or type and size. */
export interface Media {
  type: "media";
  kind: string;
  mention: string;
}

/** Any other part: what the provider calls it, and how its JSON begins. */
export interface Other {
  type: "other";
  kind: string;
  text: string;
}

export type Part = Text | Thinking | ToolUse | ToolResult | Media | Other;

export type Mood = "good" | "bad" | "odd" | "plain" | "";

export type Place = [string, Record<string, string | number>];

/** One trace of a page. Its parts are `KEY/…`. */
export interface PageTrace {
  key: string;
  id: string;
  label: string;
}

/** One comparison of a page: the keys of its traces. */
export interface PageComparison {
  expected: string;
  actual: string;
  label: string;
  equal: boolean;
}

/** A budget, a code or a requirement: its outcome and place. `label`: the trace's, if there are more. */
export type CheckRow = [outcome: string, name: string, said: string, trace: string | null, frame: number | null, label: string | null];

/** What a check or a judgement of conformance says. `names`: the heading of the second column. */
export interface CheckDocument {
  heading: string;
  mood: "good" | "bad" | "odd" | "plain" | "";
  rows: Array<CheckRow>;
  names?: string;
}

/** Members that only some pages have. `list`: the address of the list of all traces. */
export interface PageExtras {
  comparisons?: Array<PageComparison>;
  check?: CheckDocument;
  list?: string;
}

/** `page.json`. */
export interface PageDocument {
  comparisons?: Array<PageComparison>;
  check?: CheckDocument;
  list?: string;
  acp_trace_page: number;
  kind: string;
  title: string;
  traces: Array<PageTrace>;
}

/** What is known of a trace as a whole. `rows`: names and texts. */
export interface AboutDocument {
  client: string;
  agent: string;
  verdict: string;
  mood: "good" | "bad" | "odd" | "plain" | "";
  end: string;
  frames: string;
  took: string;
  rows: Array<[string, string]>;
}

/** A field of the filter language: docs/filter.md. */
export type FilterField = [name: string, type: string, meaning: string, example: string, values: Array<string>, aliases: Record<string, string>];

/** The filter language. */
export interface FilterDocument {
  fields: Array<FilterField>;
  aliases: Record<string, string>;
  operators: Array<string>;
  times: Record<string, number>;
  sizes: Record<string, number>;
  longest: number;
  deepest: number;
}

/** What is known of all frames together: `columns.Index`. */
export interface ColumnsDocument {
  frames: number;
  live: boolean;
  block: number;
  layout: Array<[string, number]>;
  kinds: Array<string>;
  pages: Array<number>;
  far: Array<[number, number]>;
  methods: Array<string>;
  updates: Array<string>;
  sessions: Array<string>;
  filter: FilterDocument;
}

/** `KEY/index.json`. `seen`: how many entries of a live trace were read. */
export interface IndexDocument {
  frames: number;
  live: boolean;
  block: number;
  layout: Array<[string, number]>;
  kinds: Array<string>;
  pages: Array<number>;
  far: Array<[number, number]>;
  methods: Array<string>;
  updates: Array<string>;
  sessions: Array<string>;
  filter: FilterDocument;
  seen: number;
  about: AboutDocument;
}

/** A line of stderr, or a gap, in `KEY/logs.json`: the frame after which it came, and when (ns). */
export type BetweenRow = [after: number, t_ns: number, what: "log" | "gap", text: any];

/** Where the time of a turn went. `turn`: its number among all; `shares`: ns; `width`: of CSS. */
export type TurnRow = [name: string, turn: number, took: string, ended: string, cancel: number | null, prompt: string, frame: number, shares: Array<number>, words: string, width: string];

/** `legend`: the parts of a turn's time, none without times. `more`: how many turns are not listed. */
export interface TurnsDocument {
  legend: Array<string>;
  rows: Array<TurnRow>;
  more: number;
}

/** Tokens and cost of a session, turn or model, as texts. */
export type SpentRow = [name: string, place: [string, Record<string, string | number>], read: string, cached: string, written: string, cost: string];

/** All sessions, all turns, or all models. */
export interface SpentGroup {
  heading: string;
  rows: Array<SpentRow>;
}

/** `sum`: a sentence, empty if nothing is known. */
export interface SpentDocument {
  sum: string;
  has_cached: boolean;
  has_cost: boolean;
  groups: Array<SpentGroup>;
}

/** A request that failed or was never answered. `lines` of stderr, with the frame before each. */
export type FailureRow = [sender: string, method: string, answer: string, took: string, said: string, lines: Array<[string, number | null]>, left_out: [number, string] | null, frame: number, status: string];

/** `more`: how many are not listed. */
export interface FailuresDocument {
  rows: Array<FailureRow>;
  more: number;
}

/** `KEY/overview.json`. `findings`: their indexes, in the order of reports. */
export interface OverviewDocument {
  answers: Array<AnsweredQuestion>;
  findings: Array<number>;
  stderr_left_out: Record<string, [number, string]>;
  turns: TurnsDocument;
  spent: SpentDocument;
  failures: FailuresDocument;
}

/** A question, its answer in a sentence, the first lines that show it, and how many more there would be. */
export interface AnsweredQuestion {
  question: string;
  answer: string;
  mood: string;
  lines: Array<Line>;
  more: number;
}

/** One line of an answer, and the frame that it is about; `at` names what else in the page means it. */
export interface Line {
  text: string;
  frame: number;
  view: string;
  at: Record<string, string>;
}

/** A name with its values before and after, as JSON text. `is_value` is false if these are not values. */
export interface StateChange {
  name: string;
  before: string | null;
  after: string | null;
  is_value: boolean;
  is_known: boolean;
}

/** What a request wanted to change. */
export interface AskedChange {
  frame: number | null;
  name: string;
  value: string | null;
}

/** A frame with metadata or configuration. */
export interface SessionStep {
  frame: number;
  t_ns: number | null;
  how: string;
  style: string;
  changes: Array<StateChange>;
  asked?: AskedChange;
}

/** The steps of a session, in the order of their frames. */
export interface SessionSteps {
  session_id: string;
  title: string | null;
  steps: Array<SessionStep>;
}

export type Words = Array<string | number | [string, Record<string, string | number>, string]>;

/** What came after a cancel, until when (ns since it; None: it never ended), and how it ended. */
export type CancelBar = [what: Array<string | number | [string, Record<string, string | number>, string]>, ns: number | null, how: string, kind: string];

/** An update that came after a cancelled turn had settled. */
export interface LateUpdate {
  frame: number;
  after_ns: number;
}

/** A cancel. */
export interface DrawnCancel {
  session_id: string | null;
  frame: number;
  t_ns: number | null;
  kind: string;
  outcome: string;
  mood: "good" | "bad" | "odd" | "plain" | "";
  of: Array<string | number | [string, Record<string, string | number>, string]>;
  bars: Array<CancelBar>;
  late_updates: number;
  late: Array<LateUpdate>;
}

/** `KEY/state.json`. */
export interface StateDocument {
  sessions: Array<SessionSteps>;
  cancels: Array<DrawnCancel>;
}

/** A part of the conversation: its number, its first frame, how many items, and about how many lines. */
export type TranscriptSlice = [number: number, first: number, items: number, lines: number];

/** What every item of the conversation has. */
export interface ItemBase {
  kind: string;
  frame: number;
  t_ns: number | null;
  history?: number;
  depth?: number;
  above?: string;
}

/** A message, a thought, a plan or a cancel. `by`: the session that sent it; `turn`: counted from 1. */
export interface TextItem {
  kind: string;
  frame: number;
  t_ns: number | null;
  history?: number;
  depth?: number;
  above?: string;
  text: string;
  by?: string;
  turn?: number;
}

/** Lines that begin with `+`, `-` or a space. `before`, `after`: numbers of the first ones, 0 for none. */
export interface DiffHunk {
  before?: number;
  after?: number;
  lines: Array<string>;
}

/** The diff of a file, or a patch of several; `added`, `removed`: lines. */
export interface FileDiff {
  path: string;
  is_new: boolean;
  added?: number;
  removed?: number;
  hunks: Array<DiffHunk>;
}

/** A text that a tool call holds. */
export interface TextPart {
  text: string;
}

/** A diff that a tool call holds. */
export interface DiffPart {
  diff: FileDiff;
}

/** What a terminal of a tool call printed. `exit` says how its command ended; empty while it runs. */
export interface TerminalPart {
  terminal: string;
  command: string;
  output: string;
  exit: string;
}

export type ToolPart = TextPart | DiffPart | TerminalPart;

/** A file that a tool call is about. */
export interface ToolLocation {
  path: string;
  line: number | null;
}

/** What a tool call holds at the end; of its input and output, the frames that have them. */
export interface HeldByTool {
  content: Array<TextPart | DiffPart | TerminalPart>;
  locations: Array<ToolLocation>;
  raw_input_frame: number | null;
  raw_output_frame: number | null;
  last_frame: number;
}

/** A tool call. */
export interface ToolItem {
  kind: string;
  frame: number;
  t_ns: number | null;
  history?: number;
  depth?: number;
  above?: string;
  content: Array<TextPart | DiffPart | TerminalPart>;
  locations: Array<ToolLocation>;
  raw_input_frame: number | null;
  raw_output_frame: number | null;
  last_frame: number;
  id: string;
  title: string | null;
  tool_kind: string | null;
  status: string | null;
  duration_ns: number | null;
  took: string;
}

/** An option of a permission, as its request has it. */
export interface PermissionOption {
  id: any;
  name: any;
  kind: any;
}

/** A permission that was asked for. */
export interface PermissionItem {
  kind: string;
  frame: number;
  t_ns: number | null;
  history?: number;
  depth?: number;
  above?: string;
  title: string | null;
  outcome: string;
  option_id: string | null;
  option_kind: string | null;
  wait_ns: number | null;
  options: Array<PermissionOption>;
}

/** A session of a subagent, where it was announced. */
export interface SubagentItem {
  kind: string;
  frame: number;
  t_ns: number | null;
  history?: number;
  depth?: number;
  above?: string;
  session: string;
  title: string | null;
  took: string;
}

/** The end of a turn, or that it had none. `turn`: its number among all. */
export interface EndItem {
  kind: string;
  frame: number;
  t_ns: number | null;
  history?: number;
  depth?: number;
  above?: string;
  turn: number;
  settled: boolean;
  stop_reason: string | null;
  error_code: number | null;
  error: string | null;
  duration_ns: number | null;
}

/** Lines of stderr. */
export interface LogItem {
  kind: string;
  frame: number;
  t_ns: number | null;
  history?: number;
  depth?: number;
  above?: string;
  lines: Array<string>;
}

/** What was said before, and sent again after the request `by`. */
export interface HistoryItem {
  kind: string;
  frame: number;
  t_ns: number | null;
  history?: number;
  depth?: number;
  above?: string;
  by: number;
  items: number;
  slices: Array<TranscriptSlice>;
}

export type AnyItem = TextItem | ToolItem | PermissionItem | SubagentItem | EndItem | LogItem | HistoryItem;

/** The slices of a session. */
export interface SessionTranscript {
  session_id: string;
  title: string | null;
  slices: Array<TranscriptSlice>;
}

/** `KEY/transcript.json`. `outside`: lines of stderr that came while several sessions were at work. */
export interface TranscriptDocument {
  sessions: Array<SessionTranscript>;
  outside: number;
}

/** A call of the model. `turn`: its number among all. */
export type CallRow = [call: number, turn: number, name: string, texts: Array<string>, is_odd: boolean];

/** `KEY/model/calls.json`. */
export interface CallsDocument {
  sum: string;
  rows: Array<CallRow>;
}

export type PiecePlace = [number, number];

/** A prompt of which what repeats is in pieces: `str`, `list[shapes.Tool]`, `shapes.PromptMessage`. */
export interface PlacedPrompt {
  model: string | null;
  system: [number, number] | null;
  tools: [number, number] | null;
  parameters: Record<string, any>;
  messages: Array<[number, number]>;
}

/** What is new in a call: lines that begin with `+ `, `- ` or neither. */
export interface CallDifference {
  message: string;
  lines: Array<string>;
}

/** `KEY/model/N.json`. `before`: the call that `difference` is to; `note`: why there is none. */
export interface CallDocument {
  call: ModelCall;
  form: string;
  continues: number | null;
  prompt: PlacedPrompt;
  answer: Answer;
  before?: number;
  difference?: Array<CallDifference>;
  note: string;
}

/** A call of a language model, from `record --model` or an imported log of the model's traffic. */
export interface ModelCall {
  call: number;
  exchange: number;
  provider: string;
  model: string | null;
  session_id: string | null;
  turn: number | null;
  joined_by: string | null;
  started_ns: number;
  first_byte_ns: number | null;
  first_token_ns: number | null;
  duration_ns: number | null;
  status: number | null;
  stop_reason: string | null;
  input_tokens: number | null;
  output_tokens: number | null;
  cached_tokens: number | null;
  reasoning_tokens: number | null;
  input_tokens_total: number | null;
  output_tokens_total: number | null;
  tools: string;
  aborted: boolean;
  beside: boolean;
  retry_of: number | null;
  error: string | null;
  cancel_frame: number | null;
  cancel_to_end_ns: number | null;
  output_after_cancel: number | null;
  tokens_after_cancel: number | null;
}

/** A model's answer. Times are those of the pieces in which its parts came, ns. */
export interface Answer {
  id: string | null;
  model: string | null;
  parts: Array<Text | Thinking | ToolUse | ToolResult | Media | Other>;
  stop_reason: string | null;
  tokens: Tokens;
  error: Problem | null;
  is_complete: boolean;
  first_byte_ns: number | null;
  first_token_ns: number | null;
  last_token_ns: number | null;
  output: Array<[number, number]>;
  unreadable: number;
}

/** Tokens as the provider counted them; None if it did not. */
export interface Tokens {
  input: number | null;
  output: number | null;
  cached: number | null;
  cache_written: number | null;
  reasoning: number | null;
  input_total: number | null;
  output_total: number | null;
}

/** An error of a provider, instead of an answer or in the middle of it. */
export interface Problem {
  type: string | null;
  message: string;
  code: string | null;
  status: number | null;
  retry_after_s: number | null;
}

/** A divergence, those that repeat it, and those that follow from it: indices. */
export interface ComparedCause {
  first: number;
  count: number;
  repeats: Array<number>;
  consequences: Array<number>;
}

/** What is read of a comparison first: `comparison_document`. */
export interface ComparisonDocument {
  rows: number;
  ids: Array<string>;
  block: number;
  first: number | null;
  verdict: string;
  about: Array<string>;
  facts: Array<string>;
  places: Array<number>;
  calls: Record<string, Array<Array<number>>>;
  causes: Array<ComparedCause>;
  prompts: Array<ComparedCause>;
  notes: Array<ComparedCause>;
}

/** `KEY/alignment.json`. `elsewhere`, by row: a divergence, and the member with the list that differs. */
export interface AlignmentDocument {
  rows: number;
  ids: Array<string>;
  block: number;
  first: number | null;
  verdict: string;
  about: Array<string>;
  facts: Array<string>;
  places: Array<number>;
  calls: Record<string, Array<Array<number>>>;
  causes: Array<ComparedCause>;
  prompts: Array<ComparedCause>;
  notes: Array<ComparedCause>;
  elsewhere: Record<string, Array<[number, string]>>;
  masked: Record<string, Record<string, Array<string>>>;
}
