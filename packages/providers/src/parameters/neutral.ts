/** Values that ask for nothing: what a vendor does anyway. */
const neutral: Readonly<Record<string, (value: unknown) => boolean>> = {
  n: value => value === 1,
  logprobs: value => value === false,
  top_logprobs: value => value === 0,
  logit_bias: value => typeof value === 'object' && value !== null && Object.keys(value).length === 0,
  presence_penalty: value => value === 0,
  frequency_penalty: value => value === 0,
  modalities: value => Array.isArray(value) && value.every(modality => modality === 'text'),
  parallel_tool_calls: value => value === true,
  tool_choice: value => value === 'auto',
  service_tier: value => value === 'auto',
  store: value => value === false,
  response_format: value => (value as { type?: unknown } | null)?.type === 'text',
}

/** Whether a parameter's value asks for nothing: then leaving it out changes nothing. */
export function asksForNothing(parameter: string, value: unknown): boolean {
  return value === undefined || value === null || neutral[parameter]?.(value) === true
}
