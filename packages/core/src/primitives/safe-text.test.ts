import { describe, expect, it } from 'vitest'
import { oneLine } from './safe-text.ts'

describe('oneLine', () => {
  it.each(['', 'Missing required parameter.', "The model `größe-2` 中文 %s {a} '\\n'", 'e\u0301 😀'])(
    'leaves %j alone',
    text => {
      expect(oneLine(text)).toBe(text)
    },
  )

  it.each([
    ['a\r\n200 ok', 'a 200 ok'],
    ['a\u2028b\u2029c\u0085d\te', 'a b c d e'],
    ['\u001b[31mred\u009b0m', '\\u001b[31mred\\u009b0m'],
    ['\0\u0007\u007f', '\\u0000\\u0007\\u007f'],
    ['in\u202etxt.exe\ufeff', 'in\\u202etxt.exe\\ufeff'],
    ['\u{e0041}', '\\u{e0041}'],
  ])('%j becomes %j', (text, line) => {
    expect(oneLine(text)).toBe(line)
  })
})
