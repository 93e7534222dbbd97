"""The shapes of version 2 alone, stable and unstable, in the form of `grammar`.

Derived from @agentclientprotocol/sdk 2.4.0 by `just shapes`: not to be edited.
"""

from __future__ import annotations

TABLE = """
@ auth/login agent request=LoginAuthRequest response=LoginAuthResponse
@ auth/logout agent request=LogoutAuthRequest response=LogoutAuthResponse
@ session/cancel agent notification=CancelSessionNotification
@ session/update client notification=UpdateSessionNotification
@ terminal/cancel agent request=CancelTerminalRequest response=CancelTerminalResponse
@ tool_call/cancel agent request=CancelToolCallRequest response=CancelToolCallResponse
AgentAuthCapabilities {status~:AuthStatusCapabilities?}
AgentCapabilities {session~:SessionCapabilities? auth~:AgentAuthCapabilities?
  providers~:ProvidersCapabilities?}
AgentMessage {messageId!:s content~:[ContentBlock]~?}
AgentThought {messageId!:s content~:[ContentBlock]~?}
Annotations {audience~:[Role]~? lastModified~:s? priority~:n(0,1)?}
AudioContent {data!:s mimeType!:s annotations~:Annotations?}
AuthMethod type(terminal=AuthMethodTerminal agent=AuthMethodAgent *={methodId!:s name!:s})
AuthMethodAgent {methodId!:s name!:s description~:s?}
AuthMethodTerminal {methodId!:s name!:s description~:s? args^:[s] env^:[EnvVariable]}
AvailableCommand type(command=Command *={name!:s description!:s})
AvailableCommandInput type(text=TextCommandInput *)
AvailableCommandsUpdate {availableCommands!:[AvailableCommand]~}
BackgroundSubagent {sessionId!:s}
BackgroundTerminal {terminalId!:s}
BackgroundToolCall {toolCallId!:s}
BackgroundWork type(terminal=BackgroundTerminal tool_call=BackgroundToolCall subagent=BackgroundSubagent *)
BlobResourceContents {blob!:s uri!:s mimeType~:s?}
CancelSessionNotification {sessionId!:s}
CancelTerminalRequest {sessionId!:s terminalId!:s}
CancelTerminalResponse {}
CancelToolCallRequest {sessionId!:s toolCallId!:s}
CancelToolCallResponse {}
CancelledPermissionOutcome {}
ClientAuthCapabilities {terminal~:TerminalAuthCapabilities?}
ClientCapabilities {auth~:ClientAuthCapabilities? elicitation~:ElicitationCapabilities?}
Command {name!:s description!:s input~:AvailableCommandInput?}
CommandPermissionSubject {command!:s cwd!:s toolCallId~:s? terminalId~:s?}
ConfigOptionUpdate {configOptions!:[SessionConfigOption]~}
ContentBlock type(text=TextContent image=ImageContent audio=AudioContent resource_link=ResourceLink
  resource=EmbeddedResource *)
ContentChunk {messageId!:s content!:ContentBlock}
Diff {changes!:[DiffChange]~ patch~:DiffPatch?}
DiffChange {fileType~:DiffFileType? mimeType~:s?} operation(add=DiffPathChange delete=DiffPathChange
  modify=DiffPathChange move=DiffPathPairChange copy=DiffPathPairChange *)
DiffFileType <text binary directory symlink *>
DiffPatch {format!:DiffPatchFormat text!:s}
DiffPatchFormat <git_patch *>
DiffPathChange {path!:s}
DiffPathPairChange {oldPath!:s path!:s}
ElicitationContentValue (s / i64 / n / b / [s] / any)
ElicitationSchema {type!:ElicitationSchemaType title~:s? properties!:{*:ElicitationPropertySchema}
  required:[s]? description~:s?}
EmbeddedResource {resource!:EmbeddedResourceResource annotations~:Annotations?}
Error {code!:ErrorCode message!:s data~:ErrorData?}
ErrorCode <-32700 -32600 -32601 -32602 -32603 -32800 -32000 -32002 -32022 *>
ErrorData (UnsupportedProtocolVersionErrorData / SessionNotFoundErrorData / any)
ForkSessionResponse {sessionId!:s configOptions~:[SessionConfigOption]~
  availableCommands~:[AvailableCommand]~}
Icon {src!:s mimeType~:s? sizes~:[s]~? theme~:IconTheme?}
IconTheme <light dark *>
IdleStateUpdate {usage~:Usage? background~:[BackgroundWork]? stopReason~:s?} stopReason(end_turn max_tokens
  max_turn_requests refusal cancelled error=ErrorStopReason * _)
ImageContent {data!:s mimeType!:s uri~:s? annotations~:Annotations?}
InitializeRequest {protocolVersion!:u16 info!:Implementation capabilities~:ClientCapabilities}
InitializeResponse {protocolVersion!:u16 info!:Implementation capabilities~:AgentCapabilities
  authMethods~:[AuthMethod]~}
ListSessionsResponse {sessions!~:[SessionInfo]~ nextCursor:s?}
LoginAuthRequest {methodId!:s}
LoginAuthResponse {}
LogoutAuthRequest {}
LogoutAuthResponse {}
McpAcpCapabilities {}
McpCapabilities {stdio~:McpStdioCapabilities? http~:McpHttpCapabilities? acp~:McpAcpCapabilities?}
McpHttpCapabilities {}
McpServer type(http=McpServerHttp acp=McpServerAcp stdio=McpServerStdio *)
McpServerHttp {name!:s url!:s headers^:[HttpHeader]}
McpServerStdio {name!:s command!:s args^:[s] env^:[EnvVariable]}
McpStdioCapabilities {}
NewSessionRequest {cwd!:s additionalDirectories^:[s] mcpServers^:[McpServer] systemPrompt:SystemPrompt?}
NewSessionResponse {sessionId!:s configOptions~:[SessionConfigOption]~
  availableCommands~:[AvailableCommand]~}
PermissionOptionKind <allow_once allow_always reject_once reject_always *>
PlanEntryPriority <high medium low *>
PlanEntryStatus <pending in_progress completed cancelled *>
PlanItems {planId!:s entries!:[PlanEntry]~}
PlanUpdateContent type(items=PlanItems file=PlanFile markdown=PlanMarkdown *={planId!:s})
PromptAudioCapabilities {}
PromptCapabilities {image~:PromptImageCapabilities? audio~:PromptAudioCapabilities?
  embeddedContext~:PromptEmbeddedContextCapabilities?}
PromptEmbeddedContextCapabilities {}
PromptImageCapabilities {}
PromptRequest {sessionId!:s prompt!:[ContentBlock](1)}
PromptResponse {messageId!:s}
ReplayFrom type(start=ReplayFromStart *)
ReplayFromStart {}
RequestId (i64 / s)
RequestPermissionOutcome outcome(cancelled=CancelledPermissionOutcome selected=SelectedPermissionOutcome *)
RequestPermissionRequest {sessionId!:s title!:s description~:s? subject:RequestPermissionSubject?
  options!:[PermissionOption](1)}
RequestPermissionSubject type(tool_call=ToolCallPermissionSubject command=CommandPermissionSubject *)
RequiresActionStateUpdate {background~:[BackgroundWork]?}
ResourceLink {name!:s uri!:s title~:s? description~:s? icons~:[Icon]~? mimeType~:s? size~:u64?
  annotations~:Annotations?}
ResumeSessionRequest {sessionId!:s cwd!:s additionalDirectories^:[s] mcpServers^:[McpServer]
  replayFrom:ReplayFrom? systemPrompt:SystemPrompt?}
ResumeSessionResponse {configOptions~:[SessionConfigOption]~ availableCommands~:[AvailableCommand]~}
Role <assistant user *>
RunningStateUpdate {background~:[BackgroundWork]?}
SessionCapabilities {prompt~:PromptCapabilities? mcp~:McpCapabilities? delete~:SessionDeleteCapabilities?
  additionalDirectories~:SessionAdditionalDirectoriesCapabilities?
  systemPrompt~:SessionSystemPromptCapabilities? fork~:SessionForkCapabilities?
  archive~:SessionArchiveCapabilities? status~:SessionStatusCapabilities? title~:SessionTitleCapabilities?}
SessionConfigOption {configId!:s name!:s description~:s? category~:SessionConfigOptionCategory?}
  type(select=SessionConfigSelect boolean=SessionConfigBoolean *)
SessionConfigSelectGroup {groupId!:s name!:s options!~:[SessionConfigSelectOption](1)~}
SessionConfigSelectOptions ([SessionConfigSelectOption](1) / [SessionConfigSelectGroup](1))
SessionInfo {sessionId!:s cwd!:s additionalDirectories^:[s] title~:s? updatedAt~:s? archived~:b?}
SessionNotFoundErrorData {sessionId!:s}
SessionStatusResponse {status!:SessionStatus state~:StateUpdate?}
SessionUpdate sessionUpdate(user_message_chunk=ContentChunk user_message=UserMessage
  agent_message_chunk=ContentChunk agent_message=AgentMessage agent_thought_chunk=ContentChunk
  agent_thought=AgentThought state_update=StateUpdate tool_call_content_chunk=ToolCallContentChunk
  tool_call_update=ToolCallUpdate terminal_update=TerminalUpdate terminal_output_chunk=TerminalOutputChunk
  plan_update=PlanUpdate plan_removed=PlanRemoved available_commands_update=AvailableCommandsUpdate
  config_option_update=ConfigOptionUpdate session_info_update=SessionInfoUpdate usage_update=UsageUpdate
  notice=Notice compaction_update=CompactionUpdate compaction_summary_chunk=CompactionSummaryChunk
  subagent_update=SubagentUpdate session_message=SessionMessage session_message_chunk=SessionMessageChunk *)
SetSessionConfigOptionRequest {sessionId!:s configId!:s} type(id={value!:s} boolean={value!:b} *={value!})
SetSessionConfigOptionResponse {configOptions!:[SessionConfigOption]~}
StringFormat <email uri date date-time *>
StringMultiSelectItems {enum!:[s](1)}
StringPropertySchema {title~:s? description~:s? minLength:u32? maxLength:u32? pattern:s?
  format:StringFormat? default~:s? enum:[s](1)? oneOf:[EnumOption](1)?}
TerminalAuthCapabilities {}
TerminalCancelCapabilities {}
TerminalCapabilities {cancel~:TerminalCancelCapabilities?}
TerminalExitStatus {exitCode~:i64? signal~:s?}
TerminalOutput {data!:s}
TerminalOutputChunk {terminalId!:s data!:s}
TerminalSize {cols!:u16 rows!:u16}
TerminalUpdate {terminalId!:s command~:s? cwd~:s? output~:TerminalOutput? exitStatus~:TerminalExitStatus?
  size~:TerminalSize? capabilities~:TerminalCapabilities?}
TextCommandInput {hint!:s}
TextContent {text!:s annotations~:Annotations?}
TextResourceContents {text!:s uri!:s mimeType~:s?}
TitledMultiSelectItems {anyOf!:[EnumOption](1)}
ToolCallCancelCapabilities {}
ToolCallCapabilities {cancel~:ToolCallCancelCapabilities?}
ToolCallContent type(content=Content diff=Diff terminal=Terminal *)
ToolCallContentChunk {toolCallId!:s content!:ToolCallContent}
ToolCallPermissionSubject {toolCall!:ToolCallUpdate}
ToolCallStatus <pending in_progress paused completed failed cancelled *>
ToolCallUpdate {toolCallId!:s name~:s? title~:s? kind~:ToolKind? status~:ToolCallStatus?
  content~:[ToolCallContent]~? locations~:[ToolCallLocation]~? rawInput~ rawOutput~
  capabilities~:ToolCallCapabilities?}
ToolKind <read edit delete move search execute think fetch switch_mode other *>
UnknownStateUpdate {background~:[BackgroundWork]?}
UnsupportedProtocolVersionErrorData {requested!:u16 supported!:[u16]}
UpdateSessionNotification {sessionId!:s update!:SessionUpdate}
UserMessage {messageId!:s content~:[ContentBlock]~?}
"""
