import { describe, expect, it } from 'vitest'
import { answer, answerBySkill } from './answer.ts'
import { readPrompt } from './prompt.ts'

const now = Date.UTC(2026, 7, 2, 12, 30)
const skilled = (text: string) => answerBySkill(text, now)
const said = (text: string, variant = 0) =>
  answer(readPrompt([{ role: 'user', content: text }]), now)(variant)

const questions: Readonly<Record<string, readonly (readonly [question: string, answer: string])[]>> = {
  arithmetic: [
    ['what is 12 * (3+4)?', '12 * (3+4) = 84'],
    ['What is two plus two?', '2 + 2 = 4'],
    ['0.1+0.2', '0.1+0.2 = 0.3'],
    ['15% of 80', '15 / 100 * 80 = 12'],
    ['what is 7 % 3', '7 % 3 = 1'],
    ['2^3^2', '2^3^2 = 512'],
    ['-2^2', '-2^2 = -4'],
    ['square root of 16 plus 1', 'sqrt(16) + 1 = 5'],
    ['what is 1,000 times 3?', '1000 * 3 = 3000'],
    ['hey can you tell me 3 * (4 - 1) please', '3 * (4 - 1) = 9'],
    ['10/0', '10/0 has no result that I can write down.'],
  ],
  dates: [
    ['What day of the week was 2024-02-29?', '2024-02-29 is a Thursday.'],
    [
      'How many days between 2024-01-01 and 2024-03-01?',
      'There are 60 days between 2024-01-01 and 2024-03-01.',
    ],
    ['What date is 30 days after 15 February 2024?', '30 days after 2024-02-15 is 2024-03-16, a Saturday.'],
    ['2024-01-31 plus 1 month', '1 month after 2024-01-31 is 2024-02-29, a Thursday.'],
    ['what was 10 days before March 1, 2024?', '10 days before 2024-03-01 is 2024-02-20, a Tuesday.'],
    ['is 1900 a leap year?', '1900 is not a leap year.'],
    ["What is today's date?", 'Today is Sunday, 2026-08-02 (UTC).'],
    ['how many days until Dec 25th, 2026', 'There are 145 days between 2026-08-02 and 2026-12-25.'],
    ['30 days from today', '30 days after 2026-08-02 is 2026-09-01, a Tuesday.'],
  ],
  counting: [
    ['How many words are there in: the quick brown fox', 'There are 4 words in "the quick brown fox".'],
    ["How many r's are in strawberry?", 'The letter "r" occurs 3 times in "strawberry".'],
    ['how many letters are in the word strawberry?', 'There are 10 letters in "strawberry".'],
    [
      'how many times does the word "the" appear in: the cat and the dog',
      'The word "the" occurs 2 times in "the cat and the dog".',
    ],
    ['How many characters in "héllo"?', 'There are 5 characters in "héllo".'],
    ['count the lines:\na\nb\nc', 'There are 3 lines in your text.'],
  ],
  extraction: [
    ['Extract the emails from: write to a@b.co and c.d@e.org.', '- a@b.co\n- c.d@e.org'],
    ['list the urls in: see https://x.org/a?b=1. and http://y.z', '- https://x.org/a?b=1\n- http://y.z'],
    ['find the numbers: 1 apple, 2.5 pears, -3 and 1,234', '- 1\n- 2.5\n- -3\n- 1234'],
    ['extract dates: on 2024-05-01 and 3 March 2025', '- 2024-05-01\n- 2025-03-03'],
    ['extract the fields: name: Ann, age: 7', '- name: Ann\n- age: 7'],
    ['find the emails: none here', 'I found no e-mail addresses in your text.'],
  ],
  transformation: [
    ['uppercase: hello', 'HELLO'],
    ['Reverse "abc"', 'cba'],
    ['sort the lines:\nc\na\nb', 'a\nb\nc'],
    ['Say this is a test', 'this is a test'],
    ['Repeat after me: hi', 'hi'],
  ],
  summary: [
    [
      'Summarise: The cat sat on the mat. The cat liked the mat. Dogs are loud. The mat was red and the cat was happy. It rained.',
      'The cat sat on the mat. The cat liked the mat. The mat was red and the cat was happy.',
    ],
  ],
}

describe('answerBySkill', () => {
  for (const [skill, asked] of Object.entries(questions)) {
    it(`answers questions of ${skill}`, () => {
      for (const [question, expected] of asked) expect(skilled(question), question).toBe(expected)
    })
  }

  it('leaves alone what only looks like a question that it knows', () => {
    for (const text of [
      'Call 555-1234',
      '2024-02-29',
      'How many people live in France?',
      'how many of us are in the room',
      '31 April 2024 what day',
      'Hello!',
      '((((',
      '1 +',
      '+',
      'the 3rd of 4',
      'version 1.2.3',
    ]) {
      expect(skilled(text), text).toBeUndefined()
    }
  })

  it('takes time in proportion to the text', () => {
    for (const text of [
      'a@'.repeat(5e5),
      '('.repeat(1e6),
      `extract emails: ${'a.'.repeat(5e5)}`,
      `find numbers: ${'1'.repeat(1e6)}`,
      '\n'.repeat(1e6),
      `say: ${'"'.repeat(1e6)}`,
      `count sentences: ${'.'.repeat(1e6)}`,
      `extract fields: ${'a '.repeat(5e5)}`,
      `2${'^2'.repeat(5e5)}`,
    ]) {
      const start = performance.now()
      skilled(text)
      expect(performance.now() - start, text.slice(0, 20)).toBeLessThan(5_000)
    }
  })
})

describe('answer', () => {
  it('says on first contact that it is not a language model, and not again', () => {
    expect(said('Hello!')).toContain('not a language model')
    const second = readPrompt([
      { role: 'user', content: 'Hello!' },
      { role: 'assistant', content: 'Hello.' },
      { role: 'user', content: 'I like my garden' },
    ])
    expect(answer(second, now)(0)).toMatch(/you like your garden/)
    expect(answer(second, now)(0)).not.toContain('language model')
  })

  it('says what it is when asked', () => {
    const asked = readPrompt([
      { role: 'user', content: 'x' },
      { role: 'assistant', content: 'y' },
      { role: 'user', content: 'Are you an AI?' },
    ])
    expect(answer(asked, now)(0)).toContain('not a language model')
  })

  it('gives the same words for the same prompt, and others for another choice', () => {
    expect(said('The sky is grey')).toBe(said('The sky is grey'))
    expect(said('The sky is grey', 1)).not.toBe(said('The sky is grey', 0))
  })

  it('names what it cannot see', () => {
    const prompt = readPrompt([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          { type: 'image_url', image_url: { url: 'https://x.org/a.png' } },
          { type: 'input_audio', input_audio: { data: '', format: 'wav' } },
        ],
      },
    ])
    expect(answer(prompt, now)(0)).toContain(
      'You sent 1 image and 1 audio clip, which I cannot look at or listen to.',
    )
  })

  it("reports what tools answered, by the tools' names", () => {
    const prompt = readPrompt([
      { role: 'user', content: 'weather?' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'a', type: 'function', function: { name: 'get_weather', arguments: '{}' } },
          { id: 'b', type: 'function', function: { name: 'get_time', arguments: '{}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'a', content: '{"sky":"clear","celsius":18}' },
      { role: 'tool', tool_call_id: 'b', content: 'noon' },
    ])
    expect(answer(prompt, now)(0)).toBe(
      'get_weather answered: sky: clear, celsius: 18.\nget_time answered: noon',
    )
  })
})
