import { GatewayError } from '../errors.ts'
import type { Principal } from './authenticate.ts'

/** Says whether a principal may use a model. */
export type Authorizer = (principal: Principal, model: string) => boolean | Promise<boolean>

/** May they? Throws 403. */
export async function authorize(principal: Principal, model: string, authorizer: Authorizer): Promise<void> {
  if (await authorizer(principal, model)) return
  throw new GatewayError('model_not_allowed', { message: `You do not have access to model \`${shown(model)}\`.` })
}

function shown(model: string): string {
  return model.length > 100 ? `${model.slice(0, 100)}...` : model
}
