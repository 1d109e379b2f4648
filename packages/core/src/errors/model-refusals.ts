import { GatewayError } from './errors.ts'
import type { NativeError } from './native-error.ts'

/** Returns the 404 for an unknown model. `suggested` are similar names that the caller may use. */
export function modelNotFound(
  model: string,
  {
    cause,
    native,
    suggested = [],
  }: {
    readonly cause?: unknown
    readonly native?: NativeError
    readonly suggested?: readonly string[]
  } = {},
): GatewayError {
  const names = suggested.map(name => `\`${name}\``)
  const hint = names.length === 0 ? '' : ` Did you mean ${names.join(', ').replace(/, (?=[^,]*$)/, ' or ')}?`
  const message = `The model \`${shown(model)}\` does not exist or you do not have access to it.${hint}`
  return new GatewayError('model_not_found', { message, cause, ...(native === undefined ? {} : { native }) })
}

/** Returns the 403 for a model that the caller may not use. */
export function modelNotAllowed(model: string): GatewayError {
  return new GatewayError('model_not_allowed', {
    message: `You do not have access to model \`${shown(model)}\`.`,
  })
}

function shown(model: string): string {
  return model.length > 100 ? `${model.slice(0, 100)}...` : model
}
