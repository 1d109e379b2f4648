import { type Call, GatewayError } from '@sluice/core'
import type { Dialect } from './dialect.ts'
import { leaveOut } from './leave-out.ts'

/**
 * Puts the bound of the answer's length under the one name that the target knows. Throws `GatewayError` (400)
 * where the caller gave two different bounds.
 */
export function moveMaxTokens(body: Record<string, unknown>, call: Call, dialect: Dialect): void {
  const { max_tokens: older, max_completion_tokens: newer } = call.input
  const bound = newer ?? older
  if (bound === undefined) return
  if (older !== undefined && newer !== undefined && older !== newer) {
    throw new GatewayError('invalid_parameter_combination', {
      message: "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
      param: 'max_tokens',
    })
  }
  leaveOut(body, 'max_tokens')
  leaveOut(body, 'max_completion_tokens')
  body[parameterOf(call, dialect)] = bound
}

function parameterOf(call: Call, { maxTokensParameter = 'by-model' }: Dialect): string {
  if (maxTokensParameter !== 'by-model') return maxTokensParameter
  return call.capabilities?.reasoning === true ? 'max_completion_tokens' : 'max_tokens'
}
