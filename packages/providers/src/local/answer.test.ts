import type { Message } from '@sluice/core/provider'
import { describe, expect, it } from 'vitest'
import { createAnswer } from './answer.ts'

const user = (content: string): Message => ({ role: 'user', content })
const answerTo = (...messages: Message[]) => createAnswer({ model: 'm', messages }).chunks?.join('')

describe('an answer in words', () => {
  it.each([
    ['What is 12 * 7?', '12 * 7 = 84'],
    ["what's 12 * (3+4)", '12 * (3+4) = 84'],
    ['  1 + 2 =  ', '1 + 2 = 3'],
    ['what is 0.1+0.2', '0.1+0.2 = 0.3'],
    ['how much is 0.1 + 0.2 - 0.3?', '0.1 + 0.2 - 0.3 = 0'],
    ['calculate: 2^3^2', '2^3^2 = 512'],
    ['calculate -2^2', '-2^2 = -4'],
    ['what is 2 * -3?', '2 * -3 = -6'],
    ['what is 10 - 2 - 3', '10 - 2 - 3 = 5'],
    ['what is 1/3?', '1/3 is about 0.3333333333'],
    ['1234567.891 * 3', '1234567.891 * 3 = 3703703.673'],
  ])('calculates %j', (question, answer) => {
    expect(answerTo(user(question))).toBe(answer)
  })

  it.each([
    '2024-05-01',
    'what is 2024-05-01?',
    '555-1234',
    '12',
    '1 +',
    '((1 + 2)',
    '1.2.3 + 1',
    '10 / 0',
    '9007199254740993 + 1',
    '99999 ^ 99',
    'What is 12 * 7 apples?',
    `${'('.repeat(1e6)}1 + 1`,
    `1 + 1${' + 1'.repeat(1e5)}`,
  ])('does not calculate %.30s', text => {
    expect(answerTo(user(text))).toContain('You said')
  })

  it.each([
    ['Say hello.', 'hello.'],
    ['please repeat: one  two', 'one  two'],
    ['Echo\nthis', 'this'],
  ])('repeats what follows in %j', (text, answer) => {
    expect(answerTo(user(text))).toBe(answer)
  })

  it('echoes anything else, and says once that it is no language model', () => {
    expect(answerTo(user('Why is\nthe sky blue?'))).toMatch(
      /not a language model.* You said: "Why is the sky blue\?"$/,
    )
    const second = answerTo(user('Hi'), { role: 'assistant', content: 'Hello.' }, user('I like my garden'))
    expect(second).toBe('You said: "I like my garden"')
    expect(answerTo(user('word '.repeat(1e5)))?.length).toBeLessThan(500)
    expect(answerTo({ role: 'system', content: 'Be brief.' })).toContain('no words of yours')
  })

  it('says what it cannot read', () => {
    const url = 'https://example.com/a.png'
    const parts = [
      { type: 'text' as const, text: 'this' },
      { type: 'image_url' as const, image_url: { url } },
    ]
    expect(answerTo({ role: 'user', content: parts })).toContain('I cannot look at images')
  })

  it('repeats the results of tools, one line each', () => {
    const results: Message[] = [
      { role: 'tool', tool_call_id: 'a', content: '{"sky":"clear"}' },
      { role: 'tool', tool_call_id: 'b', content: 'noon' },
    ]
    const text = answerTo(user('weather?'), { role: 'assistant', content: null }, ...results)
    expect(text).toBe('The tool answered: {"sky":"clear"}\nThe tool answered: noon')
  })
})
