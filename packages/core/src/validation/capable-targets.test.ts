import { expect, it } from 'vitest'
import type { Message } from '../protocol/chat.ts'
import { wordCount } from './capable-targets.ts'

it.each([
  ['', 0],
  [' \t\r\n\v\f ', 0],
  ['one', 1],
  [' one  two\nthree ', 3],
  ['a,b;c-d 語語語 \u00a0', 3],
  [' '.repeat(10_000), 0],
])('counts the words of %j', (content, words) => {
  expect(wordCount([{ role: 'user', content }])).toBe(words)
})

it('counts all messages and all text in them, and nothing else', () => {
  const messages: Message[] = [
    { role: 'system', content: 'one two' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'three' },
        { type: 'image_url', image_url: { url: 'data: a b c' } },
        { type: 'text', text: 'four five' },
      ],
    },
    { role: 'assistant', content: null },
    { role: 'assistant' },
  ]
  expect(wordCount(messages)).toBe(5)
})

it('does not read the text of other parts, which may be of any type', () => {
  const parts: unknown = [{ type: 'image_url', image_url: { url: 'https://host.example/a.png' }, text: null }]
  expect(wordCount([{ role: 'user', content: parts as [] }])).toBe(0)
})
