import { expect, it } from 'vitest'
import { authorize } from './authorize.ts'

const ann = { id: 'ann' }

it('lets in on true, and on nothing else that is truthy', async () => {
  const asked: unknown[] = []
  await authorize(ann, 'm', async (...given) => {
    asked.push(...given)
    return true
  })
  expect(asked).toEqual([ann, 'm'])
  for (const odd of [1, 'yes', {}, '', 0]) {
    await expect(authorize(ann, 'm', () => odd as never)).rejects.toThrow(
      new TypeError(`authorize gave something that is no answer: got ${typeof odd}, expected true or false.`),
    )
  }
})

it.each([false, undefined, null])('refuses the model on %j', async no => {
  const refused = authorize(ann, 'm', () => no as false)
  await expect(refused).rejects.toMatchObject({ status: 403, refusal: 'model_not_allowed' })
})
