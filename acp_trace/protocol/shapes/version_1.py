"""The shapes of protocol 1, stable and unstable. Derived: `just shapes`; the form: `grammar`."""

from __future__ import annotations

SOURCE = "@agentclientprotocol/sdk 2.4.0"
TABLE = """
@ $/cancel_request protocol notification=CancelRequestNotification
@ auth/status agent request=AuthStatusRequest response=AuthStatusResponse
@ auth/status_update client notification=AuthStatusUpdateNotification
@ authenticate agent request=AuthenticateRequest response=AuthenticateResponse
@ elicitation/complete client notification=CompleteElicitationNotification
@ elicitation/create client request=CreateElicitationRequest response=CreateElicitationResponse
@ fs/read_text_file client request=ReadTextFileRequest response=ReadTextFileResponse
@ fs/write_text_file client request=WriteTextFileRequest response=WriteTextFileResponse
@ initialize agent request=InitializeRequest response=InitializeResponse
@ logout agent request=LogoutRequest response=LogoutResponse
@ mcp/message agent notification=MessageMcpNotification
@ mcp/message client request=MessageMcpRequest response=MessageMcpResponse
@ providers/disable agent request=DisableProviderRequest response=DisableProviderResponse
@ providers/list agent request=ListProvidersRequest response=ListProvidersResponse
@ providers/set agent request=SetProviderRequest response=SetProviderResponse
@ proxy/initialize proxy request=InitializeProxyRequest response=InitializeProxyResponse
@ proxy/successor proxy notification=ProxySuccessorNotification request=ProxySuccessorRequest
  response=ProxySuccessorResponse
@ session/archive agent request=ArchiveSessionRequest response=ArchiveSessionResponse
@ session/cancel agent notification=CancelNotification
@ session/close agent request=CloseSessionRequest response=CloseSessionResponse
@ session/delete agent request=DeleteSessionRequest response=DeleteSessionResponse
@ session/fork agent request=ForkSessionRequest response=ForkSessionResponse
@ session/list agent request=ListSessionsRequest response=ListSessionsResponse
@ session/load agent request=LoadSessionRequest response=LoadSessionResponse
@ session/new agent request=NewSessionRequest response=NewSessionResponse
@ session/prompt agent request=PromptRequest response=PromptResponse
@ session/request_permission client request=RequestPermissionRequest response=RequestPermissionResponse
@ session/resume agent request=ResumeSessionRequest response=ResumeSessionResponse
@ session/set_config_option agent request=SetSessionConfigOptionRequest
  response=SetSessionConfigOptionResponse
@ session/set_mode agent request=SetSessionModeRequest response=SetSessionModeResponse
@ session/set_title agent request=SetSessionTitleRequest response=SetSessionTitleResponse
@ session/status agent request=SessionStatusRequest response=SessionStatusResponse
@ session/unarchive agent request=UnarchiveSessionRequest response=UnarchiveSessionResponse
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
ArchiveSessionRequest {sessionId!:s}
ArchiveSessionResponse {}
AudioContent {annotations~:Annotations? data!:s mimeType!:s}
AuthAccount {label!:s active~:b? name~:s? email~:s? organization~:s?}
AuthCapabilities {terminal~:b}
AuthMethod type(terminal=AuthMethodTerminal _=AuthMethodAgent)
AuthMethodAgent {id!:s name!:s description~:s?}
AuthMethodTerminal {id!:s name!:s description~:s? args0:[s] env0:{*:s}}
AuthState <authenticated unauthenticated not_required unknown *>
AuthStatusCapabilities {}
AuthStatusRequest {}
AuthStatusResponse {state!:AuthState accounts~:[AuthAccount]~}
AuthStatusUpdateNotification {state!:AuthState accounts~:[AuthAccount]~}
AuthenticateRequest {methodId!:s}
AuthenticateResponse {}
AvailableCommand {name!:s description!:s input~:AvailableCommandInput?}
AvailableCommandInput UnstructuredCommandInput
AvailableCommandsUpdate {availableCommands!~:[AvailableCommand]~}
BlobResourceContents {blob!:s mimeType~:s? uri!:s}
BooleanConfigOptionCapabilities {}
BooleanPropertySchema {title~:s? description~:s? default~:b?}
CancelNotification {sessionId!:s}
CancelRequestNotification {requestId!:RequestId}
ClientCapabilities {fs~:FileSystemCapabilities terminal~:b session~:ClientSessionCapabilities?
  subagents~:SubagentCapabilities? plan~:PlanCapabilities? auth~:AuthCapabilities
  elicitation~:ElicitationCapabilities?}
ClientSessionCapabilities {compaction~:o? configOptions~:SessionConfigOptionsCapabilities? notices~:o?}
CloseSessionRequest {sessionId!:s}
CloseSessionResponse {}
CompactionStatus <in_progress completed failed cancelled *>
CompactionSummaryChunk {compactionId!:s content!:ContentBlock}
CompactionUpdate {compactionId!:s status!:CompactionStatus summary~:[ContentBlock]~? error~:s?}
CompleteElicitationNotification {elicitationId!:s}
ConfigOptionUpdate {configOptions!~:[SessionConfigOption]~}
Content {content!:ContentBlock}
ContentBlock type(text=TextContent image=ImageContent audio=AudioContent resource_link=ResourceLink
  resource=EmbeddedResource)
ContentChunk {content!:ContentBlock messageId~:s?}
Cost {amount!:n currency!:s}
CreateElicitationRequest {message!:s} mode(form=ElicitationFormMode url=ElicitationUrlMode
  *=(ElicitationSessionScope / ElicitationRequestScope))
CreateElicitationResponse {} action(accept=ElicitationAcceptAction decline cancel *)
CreateTerminalRequest {sessionId!:s command!:s args0:[s] env0:[EnvVariable] cwd:s? outputByteLimit:u64?}
CreateTerminalResponse {terminalId!:s}
CurrentModeUpdate {currentModeId!:s}
DeleteSessionRequest {sessionId!:s}
DeleteSessionResponse {}
Diff {path!:s oldText~:s? newText!:s}
DisableProviderRequest {providerId!:s}
DisableProviderResponse {}
ElicitationAcceptAction {content:{*:ElicitationContentValue}?}
ElicitationCapabilities {form~:ElicitationFormCapabilities? url~:ElicitationUrlCapabilities?}
ElicitationContentValue (s / i64 / n / b / [s])
ElicitationFormCapabilities {}
ElicitationFormMode {requestedSchema!:ElicitationSchema} (ElicitationSessionScope / ElicitationRequestScope)
ElicitationPropertySchema type(string=StringPropertySchema number=NumberPropertySchema
  integer=IntegerPropertySchema boolean=BooleanPropertySchema array=MultiSelectPropertySchema *)
ElicitationRequestScope {requestId!:RequestId}
ElicitationSchema {type~:ElicitationSchemaType title~:s? properties:{*:ElicitationPropertySchema}
  required:[s]? description~:s?}
ElicitationSchemaType <object>
ElicitationSessionScope {sessionId!:s toolCallId~:s?}
ElicitationUrlCapabilities {}
ElicitationUrlMode {elicitationId!:s url!:s} (ElicitationSessionScope / ElicitationRequestScope)
EmbeddedResource {annotations~:Annotations? resource!:EmbeddedResourceResource}
EmbeddedResourceResource (TextResourceContents / BlobResourceContents)
EnumOption {const!:s title!:s description~:s?}
EnvVariable {name!:s value!:s}
Error {code!:ErrorCode message!:s data~}
ErrorCode <-32700 -32600 -32601 -32602 -32603 -32800 -32000 -32002 *>
ErrorStopReason {error~:Error?}
FileSystemCapabilities {readTextFile~:b writeTextFile~:b}
ForkSessionRequest {sessionId!:s cwd!:s additionalDirectories0:[s] mcpServers0:[McpServer]
  systemPrompt:SystemPrompt?}
ForkSessionResponse {sessionId!:s modes~:SessionModeState? configOptions~:[SessionConfigOption]~?}
HttpHeader {name!:s value!:s}
IdleStateUpdate {usage~:Usage? stopReason~:s?} stopReason(end_turn max_tokens max_turn_requests refusal
  cancelled error=ErrorStopReason * _)
ImageContent {annotations~:Annotations? data!:s mimeType!:s uri~:s?}
Implementation {name!:s title~:s? version!:s}
InitializeProxyRequest InitializeRequest
InitializeProxyResponse InitializeResponse
InitializeRequest {protocolVersion!:u16 clientCapabilities~:ClientCapabilities clientInfo~:Implementation?}
InitializeResponse {protocolVersion!:u16 agentCapabilities~:AgentCapabilities authMethods~:[AuthMethod]~
  agentInfo~:Implementation?}
IntegerPropertySchema {title~:s? description~:s? minimum:i64? maximum:i64? default~:i64?}
KillTerminalRequest {sessionId!:s terminalId!:s}
KillTerminalResponse {}
ListProvidersRequest {}
ListProvidersResponse {providers!:[ProviderInfo]}
ListSessionsRequest {cwd:s? cursor:s? archived:SessionArchiveFilter?}
ListSessionsResponse {sessions!~:[SessionInfo]~ nextCursor~:s?}
LlmProtocol <anthropic openai azure vertex bedrock *>
LoadSessionRequest {mcpServers!0:[McpServer] cwd!:s additionalDirectories0:[s] sessionId!:s
  systemPrompt:SystemPrompt?}
LoadSessionResponse {modes~:SessionModeState? configOptions~:[SessionConfigOption]~?}
LogoutCapabilities {}
LogoutRequest {}
LogoutResponse {}
McpCapabilities {http~:b sse~:b acp~:b}
McpError {code!:i32 message!:s data}
McpServer type(http=McpServerHttp sse=McpServerSse acp=McpServerAcp _=McpServerStdio)
McpServerAcp {name!:s serverId!:s}
McpServerHttp {name!:s url!:s headers!0:[HttpHeader]}
McpServerSse {name!:s url!:s headers!0:[HttpHeader]}
McpServerStdio {name!:s command!:s args!0:[s] env!0:[EnvVariable]}
MessageMcpNotification {serverId!:s requestId!:s method!:s params:o?}
MessageMcpRequest {serverId!:s requestId!:s method!:s params:o?}
MessageMcpResponse ({result!} / {error!:McpError})
MultiSelectItems type(string=StringMultiSelectItems * _=TitledMultiSelectItems)
MultiSelectPropertySchema {title~:s? description~:s? minItems:u64? maxItems:u64? items!:MultiSelectItems
  default~:[s]~?}
NewSessionRequest {cwd!:s additionalDirectories0:[s] mcpServers!0:[McpServer] systemPrompt:SystemPrompt?}
NewSessionResponse {sessionId!:s modes~:SessionModeState? configOptions~:[SessionConfigOption]~?}
Notice {severity!:NoticeSeverity title!:s(1) description~:s?}
NoticeSeverity <info warning error *>
NumberPropertySchema {title~:s? description~:s? minimum:n? maximum:n? default~:n?}
PermissionOption {optionId!:s name!:s kind!:PermissionOptionKind}
PermissionOptionKind <allow_once allow_always reject_once reject_always>
Plan {entries!~:[PlanEntry]~}
PlanCapabilities {}
PlanEntry {content!:s priority!:PlanEntryPriority status!:PlanEntryStatus}
PlanEntryPriority <high medium low>
PlanEntryStatus <pending in_progress completed>
PlanFile {planId!:s uri!:s}
PlanItems {planId!:s entries!~:[PlanEntry]~}
PlanMarkdown {planId!:s content!:s}
PlanRemoved {planId!:s}
PlanUpdate {plan!:PlanUpdateContent}
PlanUpdateContent type(items=PlanItems file=PlanFile markdown=PlanMarkdown)
PromptCapabilities {image~:b audio~:b embeddedContext~:b}
PromptRequest {sessionId!:s prompt!:[ContentBlock]}
PromptResponse {stopReason!:StopReason usage~:Usage?}
ProviderCurrentConfig {apiType!:LlmProtocol baseUrl!:s}
ProviderInfo {providerId!:s supported!~:[LlmProtocol]~ required!:b current:ProviderCurrentConfig?}
ProvidersCapabilities {}
ProxySuccessorNotification {method!:s params}
ProxySuccessorRequest {method!:s params}
ProxySuccessorResponse any
ReadTextFileRequest {sessionId!:s path!:s line:u32? limit:u32?}
ReadTextFileResponse {content!:s}
ReleaseTerminalRequest {sessionId!:s terminalId!:s}
ReleaseTerminalResponse {}
RequestId (i64 / s)?
RequestPermissionOutcome outcome(cancelled selected=SelectedPermissionOutcome)
RequestPermissionRequest {sessionId!:s toolCall!:ToolCallUpdate options!:[PermissionOption]}
RequestPermissionResponse {outcome!:RequestPermissionOutcome}
RequiresActionStateUpdate {}
ResourceLink {annotations~:Annotations? description~:s? mimeType~:s? name!:s size~:i64? title~:s? uri!:s}
ResumeSessionRequest {sessionId!:s cwd!:s additionalDirectories0:[s] mcpServers0:[McpServer]
  systemPrompt:SystemPrompt?}
ResumeSessionResponse {modes~:SessionModeState? configOptions~:[SessionConfigOption]~?}
Role <assistant user>
RunningStateUpdate {}
SelectedPermissionOutcome {optionId!:s}
SessionAdditionalDirectoriesCapabilities {}
SessionArchiveCapabilities {}
SessionArchiveFilter <exclude include only *>
SessionCancelCapabilities {}
SessionCapabilities {list~:SessionListCapabilities? delete~:SessionDeleteCapabilities?
  additionalDirectories~:SessionAdditionalDirectoriesCapabilities?
  systemPrompt~:SessionSystemPromptCapabilities? fork~:SessionForkCapabilities?
  archive~:SessionArchiveCapabilities? status~:SessionStatusCapabilities? title~:SessionTitleCapabilities?
  resume~:SessionResumeCapabilities? close~:SessionCloseCapabilities?}
SessionCloseCapabilities {}
SessionConfigBoolean {currentValue!:b}
SessionConfigOption {id!:s name!:s description~:s? category~:SessionConfigOptionCategory?}
  type(select=SessionConfigSelect boolean=SessionConfigBoolean)
SessionConfigOptionCategory <mode model model_config thought_level *>
SessionConfigOptionsCapabilities {boolean~:BooleanConfigOptionCapabilities?}
SessionConfigSelect {currentValue!:s options!:SessionConfigSelectOptions}
SessionConfigSelectGroup {group!:s name!:s options!~:[SessionConfigSelectOption]~}
SessionConfigSelectOption {value!:s name!:s description~:s?}
SessionConfigSelectOptions ([SessionConfigSelectOption] / [SessionConfigSelectGroup])
SessionDeleteCapabilities {}
SessionForkCapabilities {}
SessionInfo {sessionId!:s cwd!:s additionalDirectories~:[s]~ title~:s? updatedAt~:s? archived~:b?}
SessionInfoUpdate {title~:s? updatedAt~:s?}
SessionListCapabilities {}
SessionMessage {messageId!:s senderSessionId~:s? recipientSessionId~:s? senderMessageId~:s?
  recipientMessageId~:s? content~:[ContentBlock]~?}
SessionMessageChunk {messageId!:s content!:ContentBlock}
SessionMode {id!:s name!:s description~:s?}
SessionModeState {currentModeId!:s availableModes!~:[SessionMode]~}
SessionNotification {sessionId!:s update!:SessionUpdate}
SessionResumeCapabilities {}
SessionStatus <open saved *>
SessionStatusCapabilities {}
SessionStatusRequest {sessionId!:s}
SessionStatusResponse {status!:SessionStatus}
SessionSystemPromptCapabilities {mode~:SessionSystemPromptModeCapabilities?}
SessionSystemPromptModeCapabilities {override~:SessionSystemPromptOverrideCapabilities?}
SessionSystemPromptOverrideCapabilities {}
SessionTitleCapabilities {}
SessionUpdate sessionUpdate(user_message_chunk=ContentChunk agent_message_chunk=ContentChunk
  agent_thought_chunk=ContentChunk tool_call=ToolCall tool_call_update=ToolCallUpdate plan=Plan
  plan_update=PlanUpdate plan_removed=PlanRemoved available_commands_update=AvailableCommandsUpdate
  current_mode_update=CurrentModeUpdate config_option_update=ConfigOptionUpdate
  session_info_update=SessionInfoUpdate usage_update=UsageUpdate notice=Notice
  compaction_update=CompactionUpdate compaction_summary_chunk=CompactionSummaryChunk
  subagent_update=SubagentUpdate session_message=SessionMessage session_message_chunk=SessionMessageChunk)
SetProviderRequest {providerId!:s apiType!:LlmProtocol baseUrl!:s headers:{*:s}}
SetProviderResponse {}
SetSessionConfigOptionRequest {sessionId!:s configId!:s} type(boolean={value!:b} _={value!:s})
SetSessionConfigOptionResponse {configOptions!~:[SessionConfigOption]~}
SetSessionModeRequest {sessionId!:s modeId!:s}
SetSessionModeResponse {}
SetSessionTitleRequest {sessionId!:s title!:s}
SetSessionTitleResponse {title!:s}
StateUpdate state(running=RunningStateUpdate idle=IdleStateUpdate requires_action=RequiresActionStateUpdate
  unknown=UnknownStateUpdate *)
StopReason <end_turn max_tokens max_turn_requests refusal cancelled>
StringFormat <email uri date date-time>
StringMultiSelectItems {enum!:[s]}
StringPropertySchema {title~:s? description~:s? minLength:u32? maxLength:u32? pattern:s?
  format:StringFormat? default~:s? enum:[s]? oneOf:[EnumOption]?}
SubagentCapabilities {}
SubagentSessionCapabilities {cancel~:SessionCancelCapabilities?}
SubagentUpdate {sessionId!:s title~:s? description~:s? capabilities~:SubagentSessionCapabilities?
  state~:StateUpdate? cwd:s? additionalDirectories:[s]?}
SystemPrompt {mode!:SystemPromptMode content!:[ContentBlock]}
SystemPromptMode <append override *>
Terminal {terminalId!:s}
TerminalExitStatus {exitCode~:u32? signal~:s?}
TerminalOutputRequest {sessionId!:s terminalId!:s}
TerminalOutputResponse {output!:s truncated!:b exitStatus~:TerminalExitStatus?}
TextContent {annotations~:Annotations? text!:s}
TextResourceContents {mimeType~:s? text!:s uri!:s}
TitledMultiSelectItems {anyOf!:[EnumOption]}
ToolCall {toolCallId!:s title!:s name~:s? kind~:ToolKind status~:ToolCallStatus content~:[ToolCallContent]~
  locations~:[ToolCallLocation]~ rawInput~ rawOutput~}
ToolCallContent type(content=Content diff=Diff terminal=Terminal)
ToolCallLocation {path!:s line~:u32?}
ToolCallStatus <pending in_progress completed failed>
ToolCallUpdate {toolCallId!:s kind~:ToolKind? status~:ToolCallStatus? title~:s? name~:s?
  content~:[ToolCallContent]~? locations~:[ToolCallLocation]~? rawInput~ rawOutput~}
ToolKind <read edit delete move search execute think fetch switch_mode other>
UnarchiveSessionRequest {sessionId!:s}
UnarchiveSessionResponse {}
UnknownStateUpdate {}
UnstructuredCommandInput {hint!:s}
Usage {totalTokens!:u64 inputTokens!:u64 outputTokens!:u64 thoughtTokens~:u64? cachedReadTokens~:u64?
  cachedWriteTokens~:u64?}
UsageUpdate {used!:u64 size!:u64 cost~:Cost?}
WaitForTerminalExitRequest {sessionId!:s terminalId!:s}
WaitForTerminalExitResponse {exitCode~:u32? signal~:s?}
WriteTextFileRequest {sessionId!:s path!:s content!:s}
WriteTextFileResponse {}
"""
