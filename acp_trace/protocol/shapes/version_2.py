"""The shapes of protocol 2, stable and unstable. Derived: `just shapes`; the form: `grammar`."""

from __future__ import annotations

SOURCE = "@agentclientprotocol/sdk 2.4.0"
TABLE = """
@ $/cancel_request protocol notification=CancelRequestNotification
@ auth/login agent request=LoginAuthRequest response=LoginAuthResponse
@ auth/logout agent request=LogoutAuthRequest response=LogoutAuthResponse
@ auth/status agent request=AuthStatusRequest response=AuthStatusResponse
@ auth/status_update client notification=AuthStatusUpdateNotification
@ elicitation/complete client notification=CompleteElicitationNotification
@ elicitation/create client request=CreateElicitationRequest response=CreateElicitationResponse
@ initialize agent request=InitializeRequest response=InitializeResponse
@ mcp/message agent notification=MessageMcpNotification
@ mcp/message client request=MessageMcpRequest response=MessageMcpResponse
@ providers/disable agent request=DisableProviderRequest response=DisableProviderResponse
@ providers/list agent request=ListProvidersRequest response=ListProvidersResponse
@ providers/set agent request=SetProviderRequest response=SetProviderResponse
@ proxy/initialize proxy request=InitializeProxyRequest response=InitializeProxyResponse
@ proxy/successor proxy notification=ProxySuccessorNotification request=ProxySuccessorRequest
  response=ProxySuccessorResponse
@ session/archive agent request=ArchiveSessionRequest response=ArchiveSessionResponse
@ session/cancel agent notification=CancelSessionNotification
@ session/close agent request=CloseSessionRequest response=CloseSessionResponse
@ session/delete agent request=DeleteSessionRequest response=DeleteSessionResponse
@ session/fork agent request=ForkSessionRequest response=ForkSessionResponse
@ session/list agent request=ListSessionsRequest response=ListSessionsResponse
@ session/new agent request=NewSessionRequest response=NewSessionResponse
@ session/prompt agent request=PromptRequest response=PromptResponse
@ session/request_permission client request=RequestPermissionRequest response=RequestPermissionResponse
@ session/resume agent request=ResumeSessionRequest response=ResumeSessionResponse
@ session/set_config_option agent request=SetSessionConfigOptionRequest
  response=SetSessionConfigOptionResponse
@ session/set_title agent request=SetSessionTitleRequest response=SetSessionTitleResponse
@ session/status agent request=SessionStatusRequest response=SessionStatusResponse
@ session/unarchive agent request=UnarchiveSessionRequest response=UnarchiveSessionResponse
@ session/update client notification=UpdateSessionNotification
@ terminal/cancel agent request=CancelTerminalRequest response=CancelTerminalResponse
@ tool_call/cancel agent request=CancelToolCallRequest response=CancelToolCallResponse
AgentAuthCapabilities {status~:AuthStatusCapabilities?}
AgentCapabilities {session~:SessionCapabilities? auth~:AgentAuthCapabilities?
  providers~:ProvidersCapabilities?}
AgentMessage {messageId!:s content~:[ContentBlock]~?}
AgentThought {messageId!:s content~:[ContentBlock]~?}
Annotations {audience~:[Role]~? lastModified~:s? priority~:n(0,1)?}
ArchiveSessionRequest {sessionId!:s}
ArchiveSessionResponse {}
AudioContent {data!:s mimeType!:s annotations~:Annotations?}
AuthAccount {label!:s active~:b? name~:s? email~:s? organization~:s?}
AuthMethod type(terminal=AuthMethodTerminal agent=AuthMethodAgent *={methodId!:s name!:s})
AuthMethodAgent {methodId!:s name!:s description~:s?}
AuthMethodTerminal {methodId!:s name!:s description~:s? args0:[s] env0:[EnvVariable]}
AuthState <authenticated unauthenticated not_required unknown *>
AuthStatusCapabilities {}
AuthStatusRequest {}
AuthStatusResponse {state!:AuthState accounts~:[AuthAccount]~}
AuthStatusUpdateNotification {state!:AuthState accounts~:[AuthAccount]~}
AvailableCommand type(command=Command *={name!:s description!:s})
AvailableCommandInput type(text=TextCommandInput *)
AvailableCommandsUpdate {availableCommands!:[AvailableCommand]~}
BackgroundSubagent {sessionId!:s}
BackgroundTerminal {terminalId!:s}
BackgroundToolCall {toolCallId!:s}
BackgroundWork type(terminal=BackgroundTerminal tool_call=BackgroundToolCall subagent=BackgroundSubagent *)
BlobResourceContents {blob!:s uri!:s mimeType~:s?}
BooleanPropertySchema {title~:s? description~:s? default~:b?}
CancelRequestNotification {requestId!:RequestId}
CancelSessionNotification {sessionId!:s}
CancelTerminalRequest {sessionId!:s terminalId!:s}
CancelTerminalResponse {}
CancelToolCallRequest {sessionId!:s toolCallId!:s}
CancelToolCallResponse {}
CancelledPermissionOutcome {}
ClientAuthCapabilities {terminal~:TerminalAuthCapabilities?}
ClientCapabilities {auth~:ClientAuthCapabilities? elicitation~:ElicitationCapabilities?}
CloseSessionRequest {sessionId!:s}
CloseSessionResponse {}
Command {name!:s description!:s input~:AvailableCommandInput?}
CommandPermissionSubject {command!:s cwd!:s toolCallId~:s? terminalId~:s?}
CompactionStatus <in_progress completed failed cancelled *>
CompactionSummaryChunk {compactionId!:s content!:ContentBlock}
CompactionUpdate {compactionId!:s status!:CompactionStatus summary~:[ContentBlock]~? error~:s?}
CompleteElicitationNotification {elicitationId!:s}
ConfigOptionUpdate {configOptions!:[SessionConfigOption]~}
Content {content!:ContentBlock}
ContentBlock type(text=TextContent image=ImageContent audio=AudioContent resource_link=ResourceLink
  resource=EmbeddedResource *)
ContentChunk {messageId!:s content!:ContentBlock}
Cost {amount!:n currency!:s}
CreateElicitationRequest {message!:s} mode(form=ElicitationFormMode url=ElicitationUrlMode
  *=(ElicitationSessionScope / ElicitationRequestScope))
CreateElicitationResponse {} action(accept=ElicitationAcceptAction decline cancel *)
DeleteSessionRequest {sessionId!:s}
DeleteSessionResponse {}
Diff {changes!:[DiffChange]~ patch~:DiffPatch?}
DiffChange {fileType~:DiffFileType? mimeType~:s?} operation(add=DiffPathChange delete=DiffPathChange
  modify=DiffPathChange move=DiffPathPairChange copy=DiffPathPairChange *)
DiffFileType <text binary directory symlink *>
DiffPatch {format!:DiffPatchFormat text!:s}
DiffPatchFormat <git_patch *>
DiffPathChange {path!:s}
DiffPathPairChange {oldPath!:s path!:s}
DisableProviderRequest {providerId!:s}
DisableProviderResponse {}
ElicitationAcceptAction {content:{*:ElicitationContentValue}?}
ElicitationCapabilities {form~:ElicitationFormCapabilities? url~:ElicitationUrlCapabilities?}
ElicitationContentValue (s / i64 / n / b / [s] / any)
ElicitationFormCapabilities {}
ElicitationFormMode {requestedSchema!:ElicitationSchema} (ElicitationSessionScope / ElicitationRequestScope)
ElicitationPropertySchema type(string=StringPropertySchema number=NumberPropertySchema
  integer=IntegerPropertySchema boolean=BooleanPropertySchema array=MultiSelectPropertySchema *)
ElicitationRequestScope {requestId!:RequestId}
ElicitationSchema {type!:ElicitationSchemaType title~:s? properties!:{*:ElicitationPropertySchema}
  required:[s]? description~:s?}
ElicitationSchemaType <object>
ElicitationSessionScope {sessionId!:s toolCallId~:s?}
ElicitationUrlCapabilities {}
ElicitationUrlMode {elicitationId!:s url!:s} (ElicitationSessionScope / ElicitationRequestScope)
EmbeddedResource {resource!:EmbeddedResourceResource annotations~:Annotations?}
EmbeddedResourceResource (TextResourceContents / BlobResourceContents)
EnumOption {const!:s title!:s description~:s?}
EnvVariable {name!:s value!:s}
Error {code!:ErrorCode message!:s data~:ErrorData?}
ErrorCode <-32700 -32600 -32601 -32602 -32603 -32800 -32000 -32002 -32022 *>
ErrorData (UnsupportedProtocolVersionErrorData / SessionNotFoundErrorData / any)
ErrorStopReason {error~:Error?}
ForkSessionRequest {sessionId!:s cwd!:s additionalDirectories0:[s] mcpServers0:[McpServer]
  systemPrompt:SystemPrompt?}
ForkSessionResponse {sessionId!:s configOptions~:[SessionConfigOption]~
  availableCommands~:[AvailableCommand]~}
HttpHeader {name!:s value!:s}
Icon {src!:s mimeType~:s? sizes~:[s]~? theme~:IconTheme?}
IconTheme <light dark *>
IdleStateUpdate {usage~:Usage? background~:[BackgroundWork]? stopReason~:s?} stopReason(end_turn max_tokens
  max_turn_requests refusal cancelled error=ErrorStopReason * _)
ImageContent {data!:s mimeType!:s uri~:s? annotations~:Annotations?}
Implementation {name!:s title~:s? version!:s}
InitializeProxyRequest InitializeRequest
InitializeProxyResponse InitializeResponse
InitializeRequest {protocolVersion!:u16 info!:Implementation capabilities~:ClientCapabilities}
InitializeResponse {protocolVersion!:u16 info!:Implementation capabilities~:AgentCapabilities
  authMethods~:[AuthMethod]~}
IntegerPropertySchema {title~:s? description~:s? minimum:i64? maximum:i64? default~:i64?}
ListProvidersRequest {}
ListProvidersResponse {providers!:[ProviderInfo]}
ListSessionsRequest {cwd:s? cursor:s? archived:SessionArchiveFilter?}
ListSessionsResponse {sessions!~:[SessionInfo]~ nextCursor:s?}
LlmProtocol <anthropic openai azure vertex bedrock *>
LoginAuthRequest {methodId!:s}
LoginAuthResponse {}
LogoutAuthRequest {}
LogoutAuthResponse {}
McpAcpCapabilities {}
McpCapabilities {stdio~:McpStdioCapabilities? http~:McpHttpCapabilities? acp~:McpAcpCapabilities?}
McpError {code!:i32 message!:s data}
McpHttpCapabilities {}
McpServer type(http=McpServerHttp acp=McpServerAcp stdio=McpServerStdio *)
McpServerAcp {name!:s serverId!:s}
McpServerHttp {name!:s url!:s headers0:[HttpHeader]}
McpServerStdio {name!:s command!:s args0:[s] env0:[EnvVariable]}
McpStdioCapabilities {}
MessageMcpNotification {serverId!:s requestId!:s method!:s params:o?}
MessageMcpRequest {serverId!:s requestId!:s method!:s params:o?}
MessageMcpResponse ({result!} / {error!:McpError})
MultiSelectItems type(string=StringMultiSelectItems * _=TitledMultiSelectItems)
MultiSelectPropertySchema {title~:s? description~:s? minItems:u64? maxItems:u64? items!:MultiSelectItems
  default~:[s]~?}
NewSessionRequest {cwd!:s additionalDirectories0:[s] mcpServers0:[McpServer] systemPrompt:SystemPrompt?}
NewSessionResponse {sessionId!:s configOptions~:[SessionConfigOption]~
  availableCommands~:[AvailableCommand]~}
Notice {severity!:NoticeSeverity title!:s(1) description~:s?}
NoticeSeverity <info warning error *>
NumberPropertySchema {title~:s? description~:s? minimum:n? maximum:n? default~:n?}
PermissionOption {optionId!:s name!:s kind!:PermissionOptionKind}
PermissionOptionKind <allow_once allow_always reject_once reject_always *>
PlanEntry {content!:s priority!:PlanEntryPriority status!:PlanEntryStatus}
PlanEntryPriority <high medium low *>
PlanEntryStatus <pending in_progress completed cancelled *>
PlanFile {planId!:s uri!:s}
PlanItems {planId!:s entries!:[PlanEntry]~}
PlanMarkdown {planId!:s content!:s}
PlanRemoved {planId!:s}
PlanUpdate {plan!:PlanUpdateContent}
PlanUpdateContent type(items=PlanItems file=PlanFile markdown=PlanMarkdown *={planId!:s})
PromptAudioCapabilities {}
PromptCapabilities {image~:PromptImageCapabilities? audio~:PromptAudioCapabilities?
  embeddedContext~:PromptEmbeddedContextCapabilities?}
PromptEmbeddedContextCapabilities {}
PromptImageCapabilities {}
PromptRequest {sessionId!:s prompt!:[ContentBlock](1)}
PromptResponse {messageId!:s}
ProviderCurrentConfig {apiType!:LlmProtocol baseUrl!:s}
ProviderInfo {providerId!:s supported!~:[LlmProtocol]~ required!:b current:ProviderCurrentConfig?}
ProvidersCapabilities {}
ProxySuccessorNotification {method!:s params}
ProxySuccessorRequest {method!:s params}
ProxySuccessorResponse any
ReplayFrom type(start=ReplayFromStart *)
ReplayFromStart {}
RequestId (i64 / s)
RequestPermissionOutcome outcome(cancelled=CancelledPermissionOutcome selected=SelectedPermissionOutcome *)
RequestPermissionRequest {sessionId!:s title!:s description~:s? subject:RequestPermissionSubject?
  options!:[PermissionOption](1)}
RequestPermissionResponse {outcome!:RequestPermissionOutcome}
RequestPermissionSubject type(tool_call=ToolCallPermissionSubject command=CommandPermissionSubject *)
RequiresActionStateUpdate {background~:[BackgroundWork]?}
ResourceLink {name!:s uri!:s title~:s? description~:s? icons~:[Icon]~? mimeType~:s? size~:u64?
  annotations~:Annotations?}
ResumeSessionRequest {sessionId!:s cwd!:s additionalDirectories0:[s] mcpServers0:[McpServer]
  replayFrom:ReplayFrom? systemPrompt:SystemPrompt?}
ResumeSessionResponse {configOptions~:[SessionConfigOption]~ availableCommands~:[AvailableCommand]~}
Role <assistant user *>
RunningStateUpdate {background~:[BackgroundWork]?}
SelectedPermissionOutcome {optionId!:s}
SessionAdditionalDirectoriesCapabilities {}
SessionArchiveCapabilities {}
SessionArchiveFilter <exclude include only *>
SessionCancelCapabilities {}
SessionCapabilities {prompt~:PromptCapabilities? mcp~:McpCapabilities? delete~:SessionDeleteCapabilities?
  additionalDirectories~:SessionAdditionalDirectoriesCapabilities?
  systemPrompt~:SessionSystemPromptCapabilities? fork~:SessionForkCapabilities?
  archive~:SessionArchiveCapabilities? status~:SessionStatusCapabilities? title~:SessionTitleCapabilities?}
SessionConfigBoolean {currentValue!:b}
SessionConfigOption {configId!:s name!:s description~:s? category~:SessionConfigOptionCategory?}
  type(select=SessionConfigSelect boolean=SessionConfigBoolean *)
SessionConfigOptionCategory <mode model model_config thought_level *>
SessionConfigSelect {currentValue!:s options!:SessionConfigSelectOptions}
SessionConfigSelectGroup {groupId!:s name!:s options!~:[SessionConfigSelectOption](1)~}
SessionConfigSelectOption {value!:s name!:s description~:s?}
SessionConfigSelectOptions ([SessionConfigSelectOption](1) / [SessionConfigSelectGroup](1))
SessionDeleteCapabilities {}
SessionForkCapabilities {}
SessionInfo {sessionId!:s cwd!:s additionalDirectories0:[s] title~:s? updatedAt~:s? archived~:b?}
SessionInfoUpdate {title~:s? updatedAt~:s?}
SessionMessage {messageId!:s senderSessionId~:s? recipientSessionId~:s? senderMessageId~:s?
  recipientMessageId~:s? content~:[ContentBlock]~?}
SessionMessageChunk {messageId!:s content!:ContentBlock}
SessionNotFoundErrorData {sessionId!:s}
SessionStatus <open saved *>
SessionStatusCapabilities {}
SessionStatusRequest {sessionId!:s}
SessionStatusResponse {status!:SessionStatus state~:StateUpdate?}
SessionSystemPromptCapabilities {mode~:SessionSystemPromptModeCapabilities?}
SessionSystemPromptModeCapabilities {override~:SessionSystemPromptOverrideCapabilities?}
SessionSystemPromptOverrideCapabilities {}
SessionTitleCapabilities {}
SessionUpdate sessionUpdate(user_message_chunk=ContentChunk user_message=UserMessage
  agent_message_chunk=ContentChunk agent_message=AgentMessage agent_thought_chunk=ContentChunk
  agent_thought=AgentThought state_update=StateUpdate tool_call_content_chunk=ToolCallContentChunk
  tool_call_update=ToolCallUpdate terminal_update=TerminalUpdate terminal_output_chunk=TerminalOutputChunk
  plan_update=PlanUpdate plan_removed=PlanRemoved available_commands_update=AvailableCommandsUpdate
  config_option_update=ConfigOptionUpdate session_info_update=SessionInfoUpdate usage_update=UsageUpdate
  notice=Notice compaction_update=CompactionUpdate compaction_summary_chunk=CompactionSummaryChunk
  subagent_update=SubagentUpdate session_message=SessionMessage session_message_chunk=SessionMessageChunk *)
SetProviderRequest {providerId!:s apiType!:LlmProtocol baseUrl!:s headers:{*:s}}
SetProviderResponse {}
SetSessionConfigOptionRequest {sessionId!:s configId!:s} type(id={value!:s} boolean={value!:b} *={value!})
SetSessionConfigOptionResponse {configOptions!:[SessionConfigOption]~}
SetSessionTitleRequest {sessionId!:s title!:s}
SetSessionTitleResponse {title!:s}
StateUpdate state(running=RunningStateUpdate idle=IdleStateUpdate requires_action=RequiresActionStateUpdate
  unknown=UnknownStateUpdate *)
StringFormat <email uri date date-time *>
StringMultiSelectItems {enum!:[s](1)}
StringPropertySchema {title~:s? description~:s? minLength:u32? maxLength:u32? pattern:s?
  format:StringFormat? default~:s? enum:[s](1)? oneOf:[EnumOption](1)?}
SubagentSessionCapabilities {cancel~:SessionCancelCapabilities?}
SubagentUpdate {sessionId!:s title~:s? description~:s? capabilities~:SubagentSessionCapabilities?
  state~:StateUpdate? cwd:s? additionalDirectories:[s]?}
SystemPrompt {mode!:SystemPromptMode content!:[ContentBlock]}
SystemPromptMode <append override *>
Terminal {terminalId!:s}
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
ToolCallLocation {path!:s line~:u32?}
ToolCallPermissionSubject {toolCall!:ToolCallUpdate}
ToolCallStatus <pending in_progress paused completed failed cancelled *>
ToolCallUpdate {toolCallId!:s name~:s? title~:s? kind~:ToolKind? status~:ToolCallStatus?
  content~:[ToolCallContent]~? locations~:[ToolCallLocation]~? rawInput~ rawOutput~
  capabilities~:ToolCallCapabilities?}
ToolKind <read edit delete move search execute think fetch switch_mode other *>
UnarchiveSessionRequest {sessionId!:s}
UnarchiveSessionResponse {}
UnknownStateUpdate {background~:[BackgroundWork]?}
UnsupportedProtocolVersionErrorData {requested!:u16 supported!:[u16]}
UpdateSessionNotification {sessionId!:s update!:SessionUpdate}
Usage {totalTokens!:u64 inputTokens!:u64 outputTokens!:u64 thoughtTokens~:u64? cachedReadTokens~:u64?
  cachedWriteTokens~:u64?}
UsageUpdate {used!:u64 size!:u64 cost~:Cost?}
UserMessage {messageId!:s content~:[ContentBlock]~?}
"""
