import { describe, expect, it } from 'vitest'
import { tableText } from './table-text.ts'

describe('tableText', () => {
  it('puts words to the left and numbers to the right', () => {
    const text = tableText(
      [{ head: 'model' }, { head: 'requests', right: true }],
      [
        ['große', '1'],
        ['x', '1,234,567,890'],
      ],
    )
    expect(text).toBe('model       requests\ngroße              1\nx      1,234,567,890')
  })

  it('lets no name steer the terminal, nor begin a line', () => {
    expect(tableText([{ head: 'name' }], [['\u001b[2J\nroot\u202e']])).toBe('name\n?[2J?root?')
  })
})
