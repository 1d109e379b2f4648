import type { ChatFailure } from './chat-types.ts'

/** Returns a title for a failed request. */
export function failureTitle({ status, code, outcome }: ChatFailure): string {
  if (outcome === 'upstream_failed') return upstreamTitle(status, code)
  if (status === undefined) return 'No response'
  if (status === 401) return 'Invalid API key'
  if (status === 403) return code === 'model_not_priced' ? 'This model has no price' : 'Not allowed'
  if (status === 402) return limitTitle('insufficient_quota', outcome)
  if (status === 404 && (code === 'model_not_found' || code === 'not_found_error')) return 'Model not found'
  if (status === 429) return limitTitle(code, outcome)
  if (status === 400 || status === 413) return 'Invalid request'
  return status < 400 ? 'The response was cut off' : 'Request failed'
}

function limitTitle(code: string | undefined, outcome: ChatFailure['outcome']): string {
  if (code !== 'insufficient_quota') return outcome === 'refused' ? 'Rate limit reached' : 'Too many requests'
  return outcome === 'refused' ? 'Budget exceeded' : 'Budget or quota used up'
}

function upstreamTitle(status: number | undefined, code: string | undefined): string {
  if (code === 'insufficient_quota' || status === 402) return "The provider's quota is used up"
  if (status === 429) return 'Rate limited by the provider'
  if (status !== undefined && status < 400) return 'The provider cut off its response'
  return status === 504 ? 'The provider timed out' : 'The provider failed'
}

/** Says which caller was rejected, for a limit or a permission. */
export function failureNote({ status, as, outcome }: ChatFailure): string | undefined {
  if (outcome === 'upstream_failed' || (status !== 403 && status !== 429)) return undefined
  return as === 'console'
    ? 'Sent as the caller \u201cconsole\u201d, which has its own models and limits. To test another caller, enter its key under Options.'
    : 'Sent with the caller\u2019s key from Options.'
}
