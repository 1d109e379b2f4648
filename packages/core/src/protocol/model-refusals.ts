import { GatewayError } from '../errors.ts'

/** The 404 for a model that nobody serves. */
export function modelNotFound(model: string, cause?: unknown): GatewayError {
  const message = `The model \`${shown(model)}\` does not exist or you do not have access to it.`
  return new GatewayError('model_not_found', { message, cause })
}

/** The 403 for a model that is not the caller's to use. */
export function modelNotAllowed(model: string): GatewayError {
  return new GatewayError('model_not_allowed', {
    message: `You do not have access to model \`${shown(model)}\`.`,
  })
}

function shown(model: string): string {
  return model.length > 100 ? `${model.slice(0, 100)}...` : model
}
