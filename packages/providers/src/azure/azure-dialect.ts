import type { Dialect } from '../chat-completions/dialect.ts'
import { openaiDialect } from '../chat-completions/openai-dialect.ts'
import type { ApiVersion } from './api-version.ts'

/** The first version of the classic API that takes `stream_options` (Azure, "API version lifecycle"). */
const streamOptionsSince = '2024-09-01-preview'

/**
 * How Azure differs from the protocol. Not every model and version there has the role `developer`, and those that
 * reason read `system` as the same.
 */
export function azureDialect({ api, version = '' }: ApiVersion): Dialect {
  return {
    ...openaiDialect,
    developerRole: 'system',
    // Dates are in order as texts are.
    streamOptions: api === 'v1' || version >= streamOptionsSince.slice(0, 10),
  }
}
