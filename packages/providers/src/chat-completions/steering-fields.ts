import type { Adjusting } from '../parameters/adjusting.ts'
import { leaveOut } from './leave-out.ts'

/**
 * Options of client libraries and of other gateways that say where a request goes, in whose name, and what else is
 * sent with it. No model has a parameter of these names; an upstream that is a gateway itself might heed them.
 */
const steering: readonly string[] = [
  'api_base',
  'api_key',
  'api_type',
  'api_version',
  'azure_endpoint',
  'base_url',
  'custom_llm_provider',
  'default_headers',
  'extra_body',
  'extra_headers',
  'extra_query',
]

/** Takes out of a request what would steer it. Where it goes is the service's to say; what is left out is told of. */
export function dropSteering(body: Record<string, unknown>, adjusting: Adjusting): void {
  for (const name of steering) {
    if (!Object.hasOwn(body, name)) continue
    adjusting.drop(name, 'where a request goes is set by the service')
    leaveOut(body, name)
  }
}
