import { expect, it } from 'vitest'
import { findPrincipal } from './find-principal.ts'

it('a key of the configuration has the principal that it has in the service', async () => {
  const key = { id: 'ann', key: 'sk-ann', models: ['smart'], tags: { team: 'a' }, storeResponses: false }
  const config = { keys: [key], models: {} } as Parameters<typeof findPrincipal>[1]
  expect(await findPrincipal('ann', config, undefined, 0)).toEqual({
    principal: {
      id: 'ann',
      source: 'api_keys',
      models: ['smart'],
      tags: { team: 'a' },
      storeResponses: false,
    },
  })
  expect(await findPrincipal('bob', config, undefined, 0)).toBeUndefined()
})
