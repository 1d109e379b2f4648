import type { LossHints } from '../import-reader.ts'

/** What LiteLLM has and Sluice has not, or has elsewhere, by where it stands. */
export const litellmLosses: LossHints = {
  environment_variables: {
    why: 'A configuration sets no variables.',
    mend: 'Set them where the service is started; the names stay the same.',
  },
  include: {
    why: 'A configuration is one file.',
    mend: 'Import the other files, and put their models together.',
  },
  credential_list: {
    why: 'No model that is carried uses it.',
    mend: 'Write it into a provider where it is needed.',
  },
  'credential_list[].credential_info': {
    why: 'A description is not kept.',
    mend: 'Nothing.',
  },
  'model_list[].litellm_params.timeout': {
    why: 'Deadlines are those of the service and not of a place.',
    mend: 'Set timeouts.firstByteMs, timeouts.responseMs and timeouts.totalMs.',
  },
  'model_list[].litellm_params.stream_timeout': {
    why: 'Deadlines are those of the service and not of a place.',
    mend: 'Set timeouts.firstByteMs and timeouts.idleMs, which hold for all streams.',
  },
  'model_list[].litellm_params.tags': {
    why: 'Requests carry no tags; callers do.',
    mend: 'Give keys tags, and choose by { when: { tag: ... }, use: ..., otherwise: ... }.',
  },
  'model_list[].litellm_params.vertex_credentials': {
    why: 'A file of credentials is not read.',
    mend: 'Set VERTEX_TOKEN, or give vertex({ tokenProvider }) in a TypeScript configuration.',
  },
  'model_list[].litellm_params.aws_profile_name': {
    why: 'Profiles are not read.',
    mend: 'Give bedrock({ credentials }) a function in a TypeScript configuration.',
  },
  'model_list[].litellm_params.aws_role_name': {
    why: 'Roles are not taken.',
    mend: 'Give bedrock({ credentials }) a function in a TypeScript configuration.',
  },
  'model_list[].litellm_params.mock_response': {
    why: 'A vendor that is asked makes up nothing.',
    mend: 'Use the provider local for answers without a vendor.',
  },
  'model_list[].litellm_params.max_budget': {
    why: 'A place has no budget of its own.',
    mend: 'Add to limits: { kind: budget, limit: ..., currency: usd, per: month, scopes: [gateway], models: [...] }.',
  },
  'model_list[].litellm_params.budget_duration': {
    why: 'A place has no budget of its own.',
    mend: 'See the budget.',
  },
  'model_list[].litellm_params.thinking': {
    why: 'Parameters of a place are those of the chat-completions protocol.',
    mend: 'Set reasoning_effort.',
  },
  'model_list[].litellm_params.extra_body': {
    why: 'Parameters of a place are those of the chat-completions protocol.',
    mend: 'Let callers send it: unknown parameters are passed on to vendors that speak the protocol.',
  },
  'model_list[].model_info': {
    why: 'Of what is known of a model the context, the longest answer, tools, JSON schemas and prices are carried.',
    mend: 'Nothing, unless something else of it was used.',
  },
  'model_list[].model_info.id': {
    why: 'A place has no id of its own: it is named by its provider and model.',
    mend: 'Nothing, unless dashboards go by it.',
  },
  'model_list[].model_info.base_model': {
    why: 'Prices go by the name of the provider and the model.',
    mend: 'Write prices for this place, where requests are to be priced.',
  },
  'model_list[].model_info.access_groups': {
    why: 'There are no groups of models.',
    mend: 'Give keys patterns of models, such as models: [gpt-*].',
  },
  'litellm_settings.num_retries': unusable('num_retries'),
  'router_settings.num_retries': unusable('num_retries'),
  'litellm_settings.set_verbose': {
    why: 'There is no such mode.',
    mend: 'See telemetry.log, the trace header and `sluice explain`.',
  },
  'litellm_settings.telemetry': {
    why: 'Nothing is ever reported to anybody.',
    mend: 'Nothing.',
  },
  'litellm_settings.ssl_verify': {
    why: 'Certificates are always verified.',
    mend: 'Give NODE_EXTRA_CA_CERTS the certificates of your own authority.',
  },
  'litellm_settings.turn_off_message_logging': {
    why: 'Prompts and answers are never logged.',
    mend: 'Write an `observe` of your own in a TypeScript configuration where they have to be.',
  },
  'litellm_settings.content_policy_fallbacks': contentPolicy(),
  'router_settings.content_policy_fallbacks': contentPolicy(),
  'litellm_settings.cache_params': {
    why: 'It is no option of the cache here.',
    mend: 'See docs/caching.md: whole answers are kept, for the same caller and the same request.',
  },
  'litellm_settings.default_team_settings': teams(),
  'litellm_settings.default_internal_user_params': teams(),
  'litellm_settings.upperbound_key_generate_params': teams(),
  'litellm_settings.default_key_generate_params': teams(),
  'router_settings.routing_strategy_args': {
    why: 'Routes have no such arguments.',
    mend: 'See docs/routing.md for what each goes by.',
  },
  'router_settings.retry_policy': retryPolicy(),
  'router_settings.model_group_retry_policy': retryPolicy(),
  'router_settings.allowed_fails_policy': retryPolicy(),
  'router_settings.retry_after': {
    why: 'The wait before a repeat is random, below a bound that doubles.',
    mend: 'Set retry.baseMs and retry.maxMs.',
  },
  'router_settings.enable_pre_call_checks': {
    why: 'Places that cannot take a request are always left out, where what they take is known.',
    mend: 'Give places capabilities, such as contextTokens.',
  },
  'router_settings.enable_tag_filtering': {
    why: 'Requests carry no tags; callers do.',
    mend: 'Give keys tags, and choose by { when: { tag: ... }, use: ..., otherwise: ... }.',
  },
  'router_settings.stream_timeout': {
    why: 'It is not translated.',
    mend: 'Set timeouts.firstByteMs and timeouts.idleMs.',
  },
  'general_settings.alerting': alerts(),
  'general_settings.alerting_threshold': alerts(),
  'general_settings.alert_types': alerts(),
  'general_settings.custom_auth': {
    why: 'A file of Python is not run.',
    mend: 'Write `gateway.authenticate` in a TypeScript configuration: a function of the request.',
  },
  'general_settings.enable_jwt_auth': jwt(),
  'general_settings.litellm_jwtauth': jwt(),
  'general_settings.max_parallel_requests': {
    why: 'What runs at once is bounded by caller, by model or for the service.',
    mend: 'Add { kind: concurrent, limit: ... } to limits, or maxConcurrent to a provider.',
  },
  'general_settings.store_model_in_db': {
    why: 'Models stand in the configuration, which is read again when it changes.',
    mend: 'Nothing.',
  },
  'general_settings.background_health_checks': health(),
  'general_settings.health_check_interval': health(),
  'general_settings.cancel_on_disconnect': {
    why: 'A call whose caller has left is always cancelled.',
    mend: 'Nothing.',
  },
  'general_settings.pass_through_endpoints': {
    why: 'No paths are passed through to a vendor.',
    mend: 'Send such requests to the vendor itself.',
  },
  guardrails: {
    why: 'There are no guardrails.',
    mend: 'Wrap the gateway in your own code: docs/custom-gateway.md shows where.',
  },
  mcp_servers: {
    why: 'Only chat completions are served.',
    mend: 'Go on serving these from where they are served today.',
  },
}

function unusable(name: string): LossHints[string] {
  return {
    why: 'It is no whole number.',
    mend: `Write ${name} as a whole number from 0 and import again, or set maxAttempts.`,
  }
}

function contentPolicy(): LossHints[string] {
  return {
    why: 'What a vendor refuses for its policy is told to the caller.',
    mend: "In a TypeScript configuration fallback(a, b, { on: [{ code: 'content_filter' }] }) asks another one.",
  }
}

function teams(): LossHints[string] {
  return {
    why: 'There are no teams and users, only keys.',
    mend: 'Give keys tags and limits: `sluice keys create`.',
  }
}

function retryPolicy(): LossHints[string] {
  return {
    why: 'What is sent again after which failure is fixed.',
    mend: 'See the table in docs/routing.md, and maxAttempts, retry and breaker.',
  }
}

function alerts(): LossHints[string] {
  return { why: 'Nobody is alerted.', mend: 'Let your monitoring do it, by the metrics of the service.' }
}

function jwt(): LossHints[string] {
  return { why: 'Tokens are described in another way.', mend: 'Set jwt: { jwks, issuer, audience }.' }
}

function health(): LossHints[string] {
  return {
    why: 'Places are judged by the requests that they answer.',
    mend: 'See breaker in docs/routing.md.',
  }
}
