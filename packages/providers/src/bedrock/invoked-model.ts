import { isFields, textOf } from '../wire/json-value.ts'

/** The model that a prompt router chose, by its id without the rest of the ARN. Other answers name no model. */
export function invokedModel(trace: unknown): { readonly model?: string } {
  const router = isFields(trace) && isFields(trace.promptRouter) ? trace.promptRouter : undefined
  const id = textOf(router?.invokedModelId)
  const model = id?.slice(id.lastIndexOf('/') + 1)
  return model ? { model } : {}
}
