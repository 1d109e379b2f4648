import { describe, expect, it } from 'vitest'
import { modelNotAllowed, modelNotFound } from './model-refusals.ts'

const [fits, cut] = ['m'.repeat(100), `${'m'.repeat(100)}...`]

describe('the refusal of a model', () => {
  it('that nobody serves names it, and keeps the cause', () => {
    const cause = new Error('gone')
    const refusal = modelNotFound('m', { cause })
    expect(refusal).toMatchObject({ reason: 'model_not_found', status: 404, cause })
    expect(refusal.message).toBe('The model `m` does not exist or you do not have access to it.')
  })

  it("that is not the caller's names it", () => {
    const refusal = modelNotAllowed('m')
    expect(refusal).toMatchObject({ reason: 'model_not_allowed', status: 403 })
    expect(refusal.message).toBe('You do not have access to model `m`.')
  })

  it.each([
    [fits, fits],
    [`${fits}m`, cut],
  ])('shows at most 100 characters of it', (model, shown) => {
    expect(modelNotFound(model).message).toContain(`\`${shown}\``)
    expect(modelNotAllowed(model).message).toContain(`\`${shown}\``)
  })
})
