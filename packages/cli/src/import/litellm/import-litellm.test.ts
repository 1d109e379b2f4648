import { expect, it } from 'vitest'
import { importLiteLLM } from './import-litellm.ts'

const deployment = (name: string, model: string, more = {}) => ({
  model_name: name,
  litellm_params: { model, ...more },
})

it('calls the only provider of a vendor by its name, whatever the models are called', () => {
  const { config } = importLiteLLM({
    model_list: [
      deployment('anthropic/claude-opus-4-1', 'anthropic/claude-opus-4-1'),
      deployment('anthropic/*', 'anthropic/*'),
    ],
    litellm_settings: { default_fallbacks: [] },
  })
  expect(Object.keys(config.providers ?? {})).toEqual(['anthropic'])
  expect(config.models).toEqual({
    'anthropic/claude-opus-4-1': 'anthropic/claude-opus-4-1',
    'anthropic/*': 'anthropic/*',
  })
})

it('gives a provider another name where its place would be read as another model', () => {
  const { config } = importLiteLLM({
    model_list: [deployment('openai/gpt-4o', 'azure/eu'), deployment('direct', 'openai/gpt-4o')],
  })
  expect(config.models).toEqual({ 'openai/gpt-4o': 'azure/eu', direct: 'openai-2/gpt-4o' })
  const wild = importLiteLLM({
    model_list: [deployment('openai/gpt-4o', 'azure/eu'), deployment('any-*', 'openai/*')],
  })
  expect(wild.config.models).toEqual({ 'openai/gpt-4o': 'azure/eu', 'any-*': 'openai-2/*' })
})

it('takes the settings of a deployment before those of its credential', () => {
  const { config, unsupported } = importLiteLLM({
    credential_list: [
      {
        credential_name: 'mine',
        credential_values: { api_key: 'os.environ/SHARED', api_base: 'https://a.example/v1' },
      },
    ],
    model_list: [
      deployment('m', 'openai/m', { litellm_credential_name: 'mine' }),
      deployment('n', 'openai/n', { litellm_credential_name: 'mine', api_key: 'os.environ/OWN' }),
    ],
  })
  expect(Object.values(config.providers ?? {})).toMatchObject([
    { apiKey: `\${SHARED}`, baseURL: 'https://a.example/v1' },
    { apiKey: `\${OWN}`, baseURL: 'https://a.example/v1' },
  ])
  expect(unsupported).toEqual([])
})

it('resolves a variable wherever a parameter holds it, and reports what is none', () => {
  const { config, unsupported } = importLiteLLM({
    model_list: [
      deployment('m', 'openai/m', {
        stop: ['END', 'os.environ/STOP'],
        reasoning_effort: 'os.environ/EFFORT',
        response_format: { type: 'os.environ/TYPE' },
      }),
      deployment('n', 'openai/n', { stop: ['os.environ/no name'] }),
    ],
    litellm_settings: { callbacks: ['os.environ/CALLBACK'] },
  })
  expect(config.models).toEqual({
    m: {
      to: 'openai/m',
      parameters: {
        stop: ['END', `\${STOP}`],
        reasoning_effort: `\${EFFORT}`,
        response_format: { type: `\${TYPE}` },
      },
    },
    n: 'openai/n',
  })
  expect(unsupported.map(({ path }) => path)).toEqual([
    'model_list[1].litellm_params.stop',
    'litellm_settings.callbacks[0]',
  ])
})

it.each([[1], [2]])('limits a model by rpm and tpm of its %i deployments', count => {
  const { config, notes } = importLiteLLM({
    model_list: Array.from({ length: count }, () => deployment('m', 'openai/m', { rpm: 10, tpm: 1_000 })),
  })
  const rule = { per: 'minute', scopes: ['gateway'], models: ['m'] }
  expect(config.limits).toEqual([
    { kind: 'requests', limit: 10 * count, ...rule },
    { kind: 'tokens', limit: 1_000 * count, ...rule },
  ])
  expect(notes.join()).toContain('limit the model as a whole')
})

it('tells of a tpm that not every deployment has', () => {
  const { config, unsupported } = importLiteLLM({
    model_list: [
      deployment('m', 'openai/m', { weight: 1, tpm: 5 }),
      deployment('m', 'openai/n', { weight: 2 }),
    ],
  })
  expect(config.limits).toBeUndefined()
  expect(unsupported.map(({ path }) => path)).toEqual(['model_list[0].litellm_params.tpm'])
})

it('reports an object where a number or a name belongs, whatever its members are called', () => {
  const odd = { toString: '', valueOf: null }
  const { config, unsupported } = importLiteLLM({
    model_list: [deployment('m', 'openai/m', { max_tokens: odd, rpm: odd })],
    litellm_settings: { max_budget: 5, budget_duration: odd },
    router_settings: { cooldown_time: odd, allowed_fails: odd },
  })
  expect(config.limits).toBeUndefined()
  expect(unsupported.map(({ path }) => path)).toEqual([
    'model_list[0].litellm_params.max_tokens',
    'model_list[0].litellm_params.rpm',
    'litellm_settings.max_budget',
    'litellm_settings.budget_duration',
    'router_settings',
  ])
  const named = importLiteLLM({ litellm_settings: { max_budget: 5, budget_duration: 'constructor' } })
  expect(named.config.limits).toBeUndefined()
})

it('imports models of the Responses API where their provider passes it on, and reports the others', () => {
  const { config, unsupported, notes } = importLiteLLM({
    model_list: [
      deployment('deep', 'openai/responses/gpt-5-pro'),
      { ...deployment('mode', 'openai/o3-pro'), model_info: { mode: 'responses' } },
      deployment('own', 'openai/responses/m', { api_base: 'https://llm.example/v1' }),
      deployment('grok', 'xai/responses/grok-4'),
      deployment('fast', 'groq/responses/openai/gpt-oss-120b'),
      deployment('eu', 'azure/responses/gpt-5'),
    ],
  })
  expect(config.models).toMatchObject({
    deep: 'openai/gpt-5-pro',
    mode: 'openai/o3-pro',
    grok: 'xai/grok-4',
    fast: 'groq/openai/gpt-oss-120b',
  })
  const { openai, xai, ...others } = config.providers ?? {}
  expect(openai).not.toHaveProperty('speaks')
  expect(xai).not.toHaveProperty('speaks')
  expect(Object.values(others)).toMatchObject([
    { baseURL: 'https://llm.example/v1', speaks: ['responses'] },
    { speaks: ['responses'] },
  ])
  expect(unsupported.map(({ path, why }) => [path, why])).toEqual([
    ['model_list[5]', expect.stringContaining('Responses API')],
  ])
  expect(notes.some(note => note.includes('Responses API'))).toBe(true)
})
