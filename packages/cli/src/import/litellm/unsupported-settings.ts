import type { UnsupportedHints } from '../import-reader.ts'

/** Settings of LiteLLM that Sluice does not support, or has elsewhere, by path. */
export const unsupportedSettings: UnsupportedHints = {
  environment_variables: {
    why: 'A configuration cannot set variables.',
    fix: 'Set them in the environment of the service, with the same names.',
  },
  include: {
    why: 'A configuration is one file.',
    fix: 'Import the other files, and merge their models.',
  },
  credential_list: {
    why: 'No converted model uses it.',
    fix: 'Add it to a provider if you need it.',
  },
  'credential_list[].credential_info': {
    why: 'Descriptions are not supported.',
    fix: 'Nothing.',
  },
  'model_list[].litellm_params.timeout': {
    why: 'Timeouts of targets are not converted.',
    fix: 'Set timeouts.firstByteMs, timeouts.responseMs and timeouts.totalMs of the target.',
  },
  'model_list[].litellm_params.stream_timeout': {
    why: 'Timeouts of targets are not converted.',
    fix: 'Set timeouts.firstByteMs and timeouts.idleMs of the target.',
  },
  'model_list[].litellm_params.tags': {
    why: 'Requests carry no tags; callers do.',
    fix: 'Give keys tags, and choose by { when: { tag: ... }, use: ..., otherwise: ... }.',
  },
  'model_list[].litellm_params.vertex_credentials': {
    why: 'Credential files are not supported.',
    fix: 'Set VERTEX_TOKEN, or give vertex({ tokenProvider }) in a TypeScript configuration.',
  },
  'model_list[].litellm_params.aws_profile_name': {
    why: 'Profiles are not supported.',
    fix: 'Give bedrock({ credentials }) a function in a TypeScript configuration.',
  },
  'model_list[].litellm_params.aws_role_name': {
    why: 'Roles are not supported.',
    fix: 'Give bedrock({ credentials }) a function in a TypeScript configuration.',
  },
  'model_list[].litellm_params.mock_response': {
    why: 'Providers do not mock responses.',
    fix: 'Use the provider local for responses without a vendor.',
  },
  'model_list[].litellm_params.max_budget': {
    why: 'Targets have no budgets.',
    fix: 'Add to limits: { kind: budget, limit: ..., currency: usd, per: month, scopes: [gateway], models: [...] }.',
  },
  'model_list[].litellm_params.budget_duration': {
    why: 'Targets have no budgets.',
    fix: 'See the budget.',
  },
  'model_list[].litellm_params.thinking': {
    why: 'Target parameters are limited to those of the chat-completions protocol.',
    fix: 'Set reasoning_effort.',
  },
  'model_list[].litellm_params.extra_body': {
    why: 'Target parameters are limited to those of the chat-completions protocol.',
    fix: 'Let callers send it: unknown parameters are passed on to vendors that speak the protocol.',
  },
  'model_list[].model_info': {
    why: 'Only the context window, maximum output, tools, JSON schemas and prices are converted.',
    fix: 'Nothing, unless you use other fields of it.',
  },
  'model_list[].model_info.id': {
    why: 'Targets have no ids: they are named by provider and model.',
    fix: 'Nothing, unless dashboards use it.',
  },
  'model_list[].model_info.base_model': {
    why: 'Prices are looked up by provider and model.',
    fix: 'Add prices for this target if requests need a price.',
  },
  'model_list[].model_info.access_groups': {
    why: 'There are no groups of models.',
    fix: 'Give keys patterns of models, such as models: [gpt-*].',
  },
  'litellm_settings.num_retries': unusable('num_retries'),
  'router_settings.num_retries': unusable('num_retries'),
  'litellm_settings.set_verbose': {
    why: 'There is no such mode.',
    fix: 'See telemetry.log, the trace header and `sluice explain`.',
  },
  'litellm_settings.telemetry': {
    why: 'Sluice sends no telemetry to anyone.',
    fix: 'Nothing.',
  },
  'litellm_settings.ssl_verify': {
    why: 'Certificates are always verified.',
    fix: 'Give NODE_EXTRA_CA_CERTS the certificates of your own authority.',
  },
  'litellm_settings.turn_off_message_logging': {
    why: 'Prompts and answers are never logged.',
    fix: 'Write an `observe` of your own in a TypeScript configuration if you need that.',
  },
  'litellm_settings.content_policy_fallbacks': contentPolicy(),
  'router_settings.content_policy_fallbacks': contentPolicy(),
  'litellm_settings.cache_params': {
    why: 'The cache has no such option.',
    fix: 'See docs/caching.md: complete responses are cached, for the same caller and request.',
  },
  'litellm_settings.default_team_settings': teams(),
  'litellm_settings.default_internal_user_params': teams(),
  'litellm_settings.upperbound_key_generate_params': teams(),
  'litellm_settings.default_key_generate_params': teams(),
  'router_settings.routing_strategy_args': {
    why: 'Routes have no such arguments.',
    fix: 'See docs/routing.md for the criteria of each strategy.',
  },
  'router_settings.retry_policy': retryPolicy(),
  'router_settings.model_group_retry_policy': retryPolicy(),
  'router_settings.allowed_fails_policy': retryPolicy(),
  'router_settings.retry_after': {
    why: 'The backoff delay is random, below a maximum that doubles.',
    fix: 'Set retry.baseMs and retry.maxMs.',
  },
  'router_settings.enable_pre_call_checks': {
    why: 'Targets that do not support a request are always skipped, if their capabilities are known.',
    fix: 'Add capabilities to targets, such as contextTokens.',
  },
  'router_settings.enable_tag_filtering': {
    why: 'Requests carry no tags; callers do.',
    fix: 'Give keys tags, and choose by { when: { tag: ... }, use: ..., otherwise: ... }.',
  },
  'router_settings.stream_timeout': {
    why: 'It is not converted.',
    fix: 'Set timeouts.firstByteMs and timeouts.idleMs.',
  },
  'general_settings.alerting': alerts(),
  'general_settings.alerting_threshold': alerts(),
  'general_settings.alert_types': alerts(),
  'general_settings.custom_auth': {
    why: 'Python code is not supported.',
    fix: 'Write `gateway.authenticate` in a TypeScript configuration: a function of the request.',
  },
  'general_settings.enable_jwt_auth': jwt(),
  'general_settings.litellm_jwtauth': jwt(),
  'general_settings.max_parallel_requests': {
    why: 'Concurrency is limited by caller, by model or for the whole service.',
    fix: 'Add { kind: concurrent, limit: ... } to limits, or maxConcurrent to a provider.',
  },
  'general_settings.store_model_in_db': {
    why: 'Models are part of the configuration, which is reloaded when it changes.',
    fix: 'Nothing.',
  },
  'general_settings.background_health_checks': health(),
  'general_settings.health_check_interval': health(),
  'general_settings.cancel_on_disconnect': {
    why: 'Calls are always cancelled when the client disconnects.',
    fix: 'Nothing.',
  },
  'general_settings.pass_through_endpoints': {
    why: 'There are no pass-through endpoints.',
    fix: 'Send such requests to the vendor itself.',
  },
  guardrails: {
    why: 'Guardrails are not converted.',
    fix: 'Set hooks: see docs/hooks.md.',
  },
  mcp_servers: {
    why: 'Only chat completions are supported.',
    fix: 'Keep serving these with LiteLLM.',
  },
}

function unusable(name: string): UnsupportedHints[string] {
  return {
    why: 'It is not a whole number.',
    fix: `Write ${name} as a whole number from 0 and import again, or set maxAttempts.`,
  }
}

function contentPolicy(): UnsupportedHints[string] {
  return {
    why: 'Content policy errors of a vendor are returned to the caller.',
    fix: "In a TypeScript configuration fallback(a, b, { on: [{ code: 'content_filter' }] }) tries another target.",
  }
}

function teams(): UnsupportedHints[string] {
  return {
    why: 'There are no teams and users, only keys.',
    fix: 'Give keys tags and limits: `sluice keys create`.',
  }
}

function retryPolicy(): UnsupportedHints[string] {
  return {
    why: 'Which failures are retried is fixed.',
    fix: 'See the table in docs/retries.md, and maxAttempts, retry and breaker.',
  }
}

function alerts(): UnsupportedHints[string] {
  return { why: 'Alerts are not converted.', fix: 'Set alerts: see docs/alerts.md.' }
}

function jwt(): UnsupportedHints[string] {
  return { why: 'JWTs are configured differently.', fix: 'Set jwt: { jwks, issuer, audience }.' }
}

function health(): UnsupportedHints[string] {
  return {
    why: 'Target health is measured from real requests.',
    fix: 'See breaker in docs/retries.md.',
  }
}
