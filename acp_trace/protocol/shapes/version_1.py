"""The shapes of version 1 alone, stable and unstable, in the form of `grammar`.

Derived from @agentclientprotocol/sdk 2.4.0 by `just shapes`: not to be edited.
"""

from __future__ import annotations

TABLE = """
@ authenticate agent request=AuthenticateRequest response=AuthenticateResponse
@ fs/read_text_file client request=ReadTextFileRequest response=ReadTextFileResponse
@ fs/write_text_file client request=WriteTextFileRequest response=WriteTextFileResponse
@ logout agent request=LogoutRequest response=LogoutResponse
@ session/cancel agent notification=CancelNotification
@ session/load agent request=LoadSessionRequest response=LoadSessionResponse
@ session/set_mode agent request=SetSessionModeRequest response=SetSessionModeResponse
@ session/update client notification=SessionNotification
@ terminal/create client request=CreateTerminalRequest response=CreateTerminalResponse
@ terminal/kill client request=KillTerminalRequest response=KillTerminalResponse
@ terminal/output client request=TerminalOutputRequest response=TerminalOutputResponse
@ terminal/release client request=ReleaseTerminalRequest response=ReleaseTerminalResponse
@ terminal/wait_for_exit client request=WaitForTerminalExitRequest response=WaitForTerminalExitResponse
AgentAuthCapabilities {status~:AuthStatusCapabilities? logout~:LogoutCapabilities?}
AgentCapabilities {loadSession~:b promptCapabilities~:PromptCapabilities mcpCapabilities~:McpCapabilities
  sessionCapabilities~:SessionCapabilities auth~:AgentAuthCapabilities providers~:ProvidersCapabilities?}
Annotations {audience~:[Role]~? lastModified~:s? priority~:n?}
AudioContent {annotations~:Annotations? data!:s mimeType!:s}
AuthCapabilities {terminal~:b}
AuthMethod type(terminal=AuthMethodTerminal _=AuthMethodAgent)
AuthMethodAgent {id!:s name!:s description~:s?}
AuthMethodTerminal {id!:s name!:s description~:s? args^:[s] env^:{*:s}}
AuthenticateRequest {methodId!:s}
AuthenticateResponse {}
AvailableCommand {name!:s description!:s input~:AvailableCommandInput?}
AvailableCommandInput UnstructuredCommandInput
AvailableCommandsUpdate {availableCommands!~:[AvailableCommand]~}
BlobResourceContents {blob!:s mimeType~:s? uri!:s}
BooleanConfigOptionCapabilities {}
CancelNotification {sessionId!:s}
ClientCapabilities {fs~:FileSystemCapabilities terminal~:b session~:ClientSessionCapabilities?
  subagents~:SubagentCapabilities? plan~:PlanCapabilities? auth~:AuthCapabilities
  elicitation~:ElicitationCapabilities?}
ClientSessionCapabilities {compaction~:o? configOptions~:SessionConfigOptionsCapabilities? notices~:o?}
ConfigOptionUpdate {configOptions!~:[SessionConfigOption]~}
ContentBlock type(text=TextContent image=ImageContent audio=AudioContent resource_link=ResourceLink
  resource=EmbeddedResource)
ContentChunk {content!:ContentBlock messageId~:s?}
CreateTerminalRequest {sessionId!:s command!:s args^:[s] env^:[EnvVariable] cwd:s? outputByteLimit:u64?}
CreateTerminalResponse {terminalId!:s}
CurrentModeUpdate {currentModeId!:s}
Diff {path!:s oldText~:s? newText!:s}
ElicitationContentValue (s / i64 / n / b / [s])
ElicitationSchema {type~:ElicitationSchemaType title~:s? properties:{*:ElicitationPropertySchema}
  required:[s]? description~:s?}
EmbeddedResource {annotations~:Annotations? resource!:EmbeddedResourceResource}
Error {code!:ErrorCode message!:s data~}
ErrorCode <-32700 -32600 -32601 -32602 -32603 -32800 -32000 -32002 *>
FileSystemCapabilities {readTextFile~:b writeTextFile~:b}
ForkSessionResponse {sessionId!:s modes~:SessionModeState? configOptions~:[SessionConfigOption]~?}
IdleStateUpdate {usage~:Usage? stopReason~:s?} stopReason(end_turn max_tokens max_turn_requests refusal
  cancelled error=ErrorStopReason * _)
ImageContent {annotations~:Annotations? data!:s mimeType!:s uri~:s?}
InitializeRequest {protocolVersion!:u16 clientCapabilities~:ClientCapabilities clientInfo~:Implementation?}
InitializeResponse {protocolVersion!:u16 agentCapabilities~:AgentCapabilities authMethods~:[AuthMethod]~
  agentInfo~:Implementation?}
KillTerminalRequest {sessionId!:s terminalId!:s}
KillTerminalResponse {}
ListSessionsResponse {sessions!~:[SessionInfo]~ nextCursor~:s?}
LoadSessionRequest {mcpServers!^:[McpServer] cwd!:s additionalDirectories^:[s] sessionId!:s
  systemPrompt:SystemPrompt?}
LoadSessionResponse {modes~:SessionModeState? configOptions~:[SessionConfigOption]~?}
LogoutCapabilities {}
LogoutRequest {}
LogoutResponse {}
McpCapabilities {http~:b sse~:b acp~:b}
McpServer type(http=McpServerHttp sse=McpServerSse acp=McpServerAcp _=McpServerStdio)
McpServerHttp {name!:s url!:s headers!^:[HttpHeader]}
McpServerSse {name!:s url!:s headers!^:[HttpHeader]}
McpServerStdio {name!:s command!:s args!^:[s] env!^:[EnvVariable]}
NewSessionRequest {cwd!:s additionalDirectories^:[s] mcpServers!^:[McpServer] systemPrompt:SystemPrompt?}
NewSessionResponse {sessionId!:s modes~:SessionModeState? configOptions~:[SessionConfigOption]~?}
PermissionOptionKind <allow_once allow_always reject_once reject_always>
Plan {entries!~:[PlanEntry]~}
PlanCapabilities {}
PlanEntryPriority <high medium low>
PlanEntryStatus <pending in_progress completed>
PlanItems {planId!:s entries!~:[PlanEntry]~}
PlanUpdateContent type(items=PlanItems file=PlanFile markdown=PlanMarkdown)
PromptCapabilities {image~:b audio~:b embeddedContext~:b}
PromptRequest {sessionId!:s prompt!:[ContentBlock]}
PromptResponse {stopReason!:StopReason usage~:Usage?}
ReadTextFileRequest {sessionId!:s path!:s line:u32? limit:u32?}
ReadTextFileResponse {content!:s}
ReleaseTerminalRequest {sessionId!:s terminalId!:s}
ReleaseTerminalResponse {}
RequestId (i64 / s)?
RequestPermissionOutcome outcome(cancelled selected=SelectedPermissionOutcome)
RequestPermissionRequest {sessionId!:s toolCall!:ToolCallUpdate options!:[PermissionOption]}
RequiresActionStateUpdate {}
ResourceLink {annotations~:Annotations? description~:s? mimeType~:s? name!:s size~:i64? title~:s? uri!:s}
ResumeSessionRequest {sessionId!:s cwd!:s additionalDirectories^:[s] mcpServers^:[McpServer]
  systemPrompt:SystemPrompt?}
ResumeSessionResponse {modes~:SessionModeState? configOptions~:[SessionConfigOption]~?}
Role <assistant user>
RunningStateUpdate {}
SessionCapabilities {list~:SessionListCapabilities? delete~:SessionDeleteCapabilities?
  additionalDirectories~:SessionAdditionalDirectoriesCapabilities?
  systemPrompt~:SessionSystemPromptCapabilities? fork~:SessionForkCapabilities?
  archive~:SessionArchiveCapabilities? status~:SessionStatusCapabilities? title~:SessionTitleCapabilities?
  resume~:SessionResumeCapabilities? close~:SessionCloseCapabilities?}
SessionCloseCapabilities {}
SessionConfigOption {id!:s name!:s description~:s? category~:SessionConfigOptionCategory?}
  type(select=SessionConfigSelect boolean=SessionConfigBoolean)
SessionConfigOptionsCapabilities {boolean~:BooleanConfigOptionCapabilities?}
SessionConfigSelectGroup {group!:s name!:s options!~:[SessionConfigSelectOption]~}
SessionConfigSelectOptions ([SessionConfigSelectOption] / [SessionConfigSelectGroup])
SessionInfo {sessionId!:s cwd!:s additionalDirectories~:[s]~ title~:s? updatedAt~:s? archived~:b?}
SessionListCapabilities {}
SessionMode {id!:s name!:s description~:s?}
SessionModeState {currentModeId!:s availableModes!~:[SessionMode]~}
SessionNotification {sessionId!:s update!:SessionUpdate}
SessionResumeCapabilities {}
SessionStatusResponse {status!:SessionStatus}
SessionUpdate sessionUpdate(user_message_chunk=ContentChunk agent_message_chunk=ContentChunk
  agent_thought_chunk=ContentChunk tool_call=ToolCall tool_call_update=ToolCallUpdate plan=Plan
  plan_update=PlanUpdate plan_removed=PlanRemoved available_commands_update=AvailableCommandsUpdate
  current_mode_update=CurrentModeUpdate config_option_update=ConfigOptionUpdate
  session_info_update=SessionInfoUpdate usage_update=UsageUpdate notice=Notice
  compaction_update=CompactionUpdate compaction_summary_chunk=CompactionSummaryChunk
  subagent_update=SubagentUpdate session_message=SessionMessage session_message_chunk=SessionMessageChunk)
SetSessionConfigOptionRequest {sessionId!:s configId!:s} type(boolean={value!:b} _={value!:s})
SetSessionConfigOptionResponse {configOptions!~:[SessionConfigOption]~}
SetSessionModeRequest {sessionId!:s modeId!:s}
SetSessionModeResponse {}
StopReason <end_turn max_tokens max_turn_requests refusal cancelled>
StringFormat <email uri date date-time>
StringMultiSelectItems {enum!:[s]}
StringPropertySchema {title~:s? description~:s? minLength:u32? maxLength:u32? pattern:s?
  format:StringFormat? default~:s? enum:[s]? oneOf:[EnumOption]?}
SubagentCapabilities {}
TerminalExitStatus {exitCode~:u32? signal~:s?}
TerminalOutputRequest {sessionId!:s terminalId!:s}
TerminalOutputResponse {output!:s truncated!:b exitStatus~:TerminalExitStatus?}
TextContent {annotations~:Annotations? text!:s}
TextResourceContents {mimeType~:s? text!:s uri!:s}
TitledMultiSelectItems {anyOf!:[EnumOption]}
ToolCall {toolCallId!:s title!:s name~:s? kind~:ToolKind status~:ToolCallStatus content~:[ToolCallContent]~
  locations~:[ToolCallLocation]~ rawInput~ rawOutput~}
ToolCallContent type(content=Content diff=Diff terminal=Terminal)
ToolCallStatus <pending in_progress completed failed>
ToolCallUpdate {toolCallId!:s kind~:ToolKind? status~:ToolCallStatus? title~:s? name~:s?
  content~:[ToolCallContent]~? locations~:[ToolCallLocation]~? rawInput~ rawOutput~}
ToolKind <read edit delete move search execute think fetch switch_mode other>
UnknownStateUpdate {}
UnstructuredCommandInput {hint!:s}
WaitForTerminalExitRequest {sessionId!:s terminalId!:s}
WaitForTerminalExitResponse {exitCode~:u32? signal~:s?}
WriteTextFileRequest {sessionId!:s path!:s content!:s}
WriteTextFileResponse {}
"""
