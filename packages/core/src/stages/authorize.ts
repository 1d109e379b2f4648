import { modelNotAllowed } from '../protocol/model-refusals.ts'
import type { Principal } from './authenticate.ts'

/** Says whether a principal may use a model. */
export type Authorizer = (principal: Principal, model: string) => boolean | Promise<boolean>

/** May they? Throws 403. */
export async function authorize(principal: Principal, model: string, authorizer: Authorizer): Promise<void> {
  if (await authorizer(principal, model)) return
  throw modelNotAllowed(model)
}
