import type { ChatFailure } from './chat-types.ts'

/** What happened, in a few words. What is not known for sure is not said. */
export function failureTitle({ status, code, outcome }: ChatFailure): string {
  if (outcome === 'upstream_failed') return upstreamTitle(status, code)
  if (status === undefined) return 'No response'
  if (status === 401) return 'The key is not accepted'
  if (status === 403) return code === 'model_not_priced' ? 'This model has no price' : 'Not allowed'
  if (status === 404 && code === 'model_not_found') return 'There is no such model'
  if (status === 429) return limitTitle(code, outcome)
  if (status === 400 || status === 413) return 'The request is not valid'
  return status < 400 ? 'The answer broke off' : 'Not answered'
}

function limitTitle(code: string | undefined, outcome: ChatFailure['outcome']): string {
  if (code !== 'insufficient_quota') return outcome === 'refused' ? 'Rate limit reached' : 'Too many requests'
  return outcome === 'refused' ? 'Not enough budget' : 'No budget or quota left'
}

function upstreamTitle(status: number | undefined, code: string | undefined): string {
  if (code === 'insufficient_quota') return "The provider's quota is used up"
  if (status === 429) return 'The provider limits the rate of this gateway'
  if (status !== undefined && status < 400) return 'The provider broke off its answer'
  return status === 504 ? 'The provider did not answer in time' : 'The provider failed'
}

/** Who was refused, where a limit or a permission did it. */
export function failureNote({ status, as, outcome }: ChatFailure): string | undefined {
  if (outcome === 'upstream_failed' || (status !== 403 && status !== 429)) return undefined
  return as === 'console'
    ? 'Sent as the console, which has models and limits of its own. A caller\u2019s key under Options has others.'
    : 'Sent with the caller\u2019s key under Options.'
}
