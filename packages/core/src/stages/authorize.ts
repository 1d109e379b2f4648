import { modelNotAllowed } from '../protocol/model-refusals.ts'
import type { Principal } from './authenticate.ts'

/** Says whether a principal may use a model. */
export type Authorizer = (principal: Principal, model: string) => boolean | Promise<boolean>

/** May they? Throws 403, and `TypeError` for what is neither yes nor no: not all that is truthy is a leave. */
export async function authorize(principal: Principal, model: string, authorizer: Authorizer): Promise<void> {
  const answer: unknown = await authorizer(principal, model)
  if (answer === true) return
  if (answer === false || answer === undefined || answer === null) throw modelNotAllowed(model)
  throw new TypeError(
    `authorize gave something that is no answer: got ${typeof answer}, expected true or false.`,
  )
}
