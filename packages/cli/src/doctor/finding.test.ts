import { expect, it } from 'vitest'
import { ofCommandError } from './finding.ts'

it('takes what a message says to do for the fix', () => {
  const missing = new Error('state.redis needs ioredis. Run: npm install ioredis\nOr use none.')
  expect(ofCommandError('Redis', missing, 'Check it.')).toEqual({
    check: 'Redis',
    status: 'error',
    message: 'state.redis needs ioredis.',
    fix: 'Run: npm install ioredis. Or use none.',
  })
  expect(ofCommandError('Redis', new Error('It failed.'), 'Check it.')).toMatchObject({
    message: 'It failed.',
    fix: 'Check it.',
  })
})
