"""The shapes of both versions, stable and unstable, in the form of `grammar`.

Derived from @agentclientprotocol/sdk 2.4.0 by `just shapes`: not to be edited.
"""

from __future__ import annotations

TABLE = """
@ $/cancel_request protocol notification=CancelRequestNotification
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
ArchiveSessionRequest {sessionId!:s}
ArchiveSessionResponse {}
AuthAccount {label!:s active~:b? name~:s? email~:s? organization~:s?}
AuthState <authenticated unauthenticated not_required unknown *>
AuthStatusCapabilities {}
AuthStatusRequest {}
AuthStatusResponse {state!:AuthState accounts~:[AuthAccount]~}
AuthStatusUpdateNotification {state!:AuthState accounts~:[AuthAccount]~}
BooleanPropertySchema {title~:s? description~:s? default~:b?}
CancelRequestNotification {requestId!:RequestId}
CloseSessionRequest {sessionId!:s}
CloseSessionResponse {}
CompactionStatus <in_progress completed failed cancelled *>
CompactionSummaryChunk {compactionId!:s content!:ContentBlock}
CompactionUpdate {compactionId!:s status!:CompactionStatus summary~:[ContentBlock]~? error~:s?}
CompleteElicitationNotification {elicitationId!:s}
Content {content!:ContentBlock}
Cost {amount!:n currency!:s}
CreateElicitationRequest {message!:s} mode(form=ElicitationFormMode url=ElicitationUrlMode
  *=(ElicitationSessionScope / ElicitationRequestScope))
CreateElicitationResponse {} action(accept=ElicitationAcceptAction decline cancel *)
DeleteSessionRequest {sessionId!:s}
DeleteSessionResponse {}
DisableProviderRequest {providerId!:s}
DisableProviderResponse {}
ElicitationAcceptAction {content:{*:ElicitationContentValue}?}
ElicitationCapabilities {form~:ElicitationFormCapabilities? url~:ElicitationUrlCapabilities?}
ElicitationFormCapabilities {}
ElicitationFormMode {requestedSchema!:ElicitationSchema} (ElicitationSessionScope / ElicitationRequestScope)
ElicitationPropertySchema type(string=StringPropertySchema number=NumberPropertySchema
  integer=IntegerPropertySchema boolean=BooleanPropertySchema array=MultiSelectPropertySchema *)
ElicitationRequestScope {requestId!:RequestId}
ElicitationSchemaType <object>
ElicitationSessionScope {sessionId!:s toolCallId~:s?}
ElicitationUrlCapabilities {}
ElicitationUrlMode {elicitationId!:s url!:s} (ElicitationSessionScope / ElicitationRequestScope)
EmbeddedResourceResource (TextResourceContents / BlobResourceContents)
EnumOption {const!:s title!:s description~:s?}
EnvVariable {name!:s value!:s}
ErrorStopReason {error~:Error?}
ForkSessionRequest {sessionId!:s cwd!:s additionalDirectories^:[s] mcpServers^:[McpServer]
  systemPrompt:SystemPrompt?}
HttpHeader {name!:s value!:s}
Implementation {name!:s title~:s? version!:s}
InitializeProxyRequest InitializeRequest
InitializeProxyResponse InitializeResponse
IntegerPropertySchema {title~:s? description~:s? minimum:i64? maximum:i64? default~:i64?}
ListProvidersRequest {}
ListProvidersResponse {providers!:[ProviderInfo]}
ListSessionsRequest {cwd:s? cursor:s? archived:SessionArchiveFilter?}
LlmProtocol <anthropic openai azure vertex bedrock *>
McpError {code!:i32 message!:s data}
McpServerAcp {name!:s serverId!:s}
MessageMcpNotification {serverId!:s requestId!:s method!:s params:o?}
MessageMcpRequest {serverId!:s requestId!:s method!:s params:o?}
MessageMcpResponse ({result!} / {error!:McpError})
MultiSelectItems type(string=StringMultiSelectItems * _=TitledMultiSelectItems)
MultiSelectPropertySchema {title~:s? description~:s? minItems:u64? maxItems:u64? items!:MultiSelectItems
  default~:[s]~?}
Notice {severity!:NoticeSeverity title!:s(1) description~:s?}
NoticeSeverity <info warning error *>
NumberPropertySchema {title~:s? description~:s? minimum:n? maximum:n? default~:n?}
PermissionOption {optionId!:s name!:s kind!:PermissionOptionKind}
PlanEntry {content!:s priority!:PlanEntryPriority status!:PlanEntryStatus}
PlanFile {planId!:s uri!:s}
PlanMarkdown {planId!:s content!:s}
PlanRemoved {planId!:s}
PlanUpdate {plan!:PlanUpdateContent}
ProviderCurrentConfig {apiType!:LlmProtocol baseUrl!:s}
ProviderInfo {providerId!:s supported!~:[LlmProtocol]~ required!:b current:ProviderCurrentConfig?}
ProvidersCapabilities {}
ProxySuccessorNotification {method!:s params}
ProxySuccessorRequest {method!:s params}
ProxySuccessorResponse any
RequestPermissionResponse {outcome!:RequestPermissionOutcome}
SelectedPermissionOutcome {optionId!:s}
SessionAdditionalDirectoriesCapabilities {}
SessionArchiveCapabilities {}
SessionArchiveFilter <exclude include only *>
SessionCancelCapabilities {}
SessionConfigBoolean {currentValue!:b}
SessionConfigOptionCategory <mode model model_config thought_level *>
SessionConfigSelect {currentValue!:s options!:SessionConfigSelectOptions}
SessionConfigSelectOption {value!:s name!:s description~:s?}
SessionDeleteCapabilities {}
SessionForkCapabilities {}
SessionInfoUpdate {title~:s? updatedAt~:s?}
SessionMessage {messageId!:s senderSessionId~:s? recipientSessionId~:s? senderMessageId~:s?
  recipientMessageId~:s? content~:[ContentBlock]~?}
SessionMessageChunk {messageId!:s content!:ContentBlock}
SessionStatus <open saved *>
SessionStatusCapabilities {}
SessionStatusRequest {sessionId!:s}
SessionSystemPromptCapabilities {mode~:SessionSystemPromptModeCapabilities?}
SessionSystemPromptModeCapabilities {override~:SessionSystemPromptOverrideCapabilities?}
SessionSystemPromptOverrideCapabilities {}
SessionTitleCapabilities {}
SetProviderRequest {providerId!:s apiType!:LlmProtocol baseUrl!:s headers:{*:s}}
SetProviderResponse {}
SetSessionTitleRequest {sessionId!:s title!:s}
SetSessionTitleResponse {title!:s}
StateUpdate state(running=RunningStateUpdate idle=IdleStateUpdate requires_action=RequiresActionStateUpdate
  unknown=UnknownStateUpdate *)
SubagentSessionCapabilities {cancel~:SessionCancelCapabilities?}
SubagentUpdate {sessionId!:s title~:s? description~:s? capabilities~:SubagentSessionCapabilities?
  state~:StateUpdate? cwd:s? additionalDirectories:[s]?}
SystemPrompt {mode!:SystemPromptMode content!:[ContentBlock]}
SystemPromptMode <append override *>
Terminal {terminalId!:s}
ToolCallLocation {path!:s line~:u32?}
UnarchiveSessionRequest {sessionId!:s}
UnarchiveSessionResponse {}
Usage {totalTokens!:u64 inputTokens!:u64 outputTokens!:u64 thoughtTokens~:u64? cachedReadTokens~:u64?
  cachedWriteTokens~:u64?}
UsageUpdate {used!:u64 size!:u64 cost~:Cost?}
"""
