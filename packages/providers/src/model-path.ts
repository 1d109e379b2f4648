import { GatewayError } from '@sluice/core'

/**
 * A model's place in the Gemini API: `models/gemini-2.5-pro`, `tunedModels/mine`. The name may be given with or
 * without its collection. Throws `GatewayError` (400) for a name that is none.
 */
export function modelPath(model: string): string {
  const [, collection = 'models', name = ''] = /^(?:(models|tunedModels)\/)?(.*)$/s.exec(model) ?? []
  return `${collection}/${pathStep(name)}`
}

/**
 * One step of a path, so that no name can lead elsewhere. Throws `GatewayError` (400) where it would be no step
 * at all.
 */
export function pathStep(name: string): string {
  if (name === '' || name === '.' || name === '..' || /\p{Surrogate}/u.test(name)) throw noModel()
  return encodeURIComponent(name).replaceAll('%40', '@')
}

/** The refusal (400) of what is no name of a model. */
export function noModel(): GatewayError {
  return new GatewayError('invalid_value', {
    message: "Invalid 'model': its name at the vendor is no name of a model.",
    param: 'model',
  })
}
