import { readExchanges } from '../exchanges.ts'

/** Every recorded exchange of the Messages API. Only a request for a count has no bound. */
export const exchanges = readExchanges('messages', ({ max_tokens }) =>
  max_tokens === undefined ? '/messages/count_tokens' : '/messages',
)
