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
    ['What is 123456789 * 987654321?', '123456789 * 987654321 = 121932631112635269'],
    ['9007199254740993 + 1', '9007199254740993 + 1 = 9007199254740994'],
    ['what is 10 - 3 please', '10 - 3 = 7'],
    ['10 - 5 squared', '10 - 5 ^ 2 = -15'],
    ['2^100', '2^100 = 1267650600228229401496703205376'],
    ['1/3', '1/3 is about 0.333333333333'],
    ['sqrt(2) * 2', 'sqrt(2) * 2 is about 2.82842712475'],
    ['tell me sqrt(16) + 1', 'sqrt(16) + 1 = 5'],
    ['1/3 + 1/6', '1/3 + 1/6 = 0.5'],
    ['2^-2', '2^-2 = 0.25'],
    ['(-1)^100001', '(-1)^100001 = -1'],
    ['1e3 + 1', '1e3 + 1 = 1001'],
    ['2.5e2 * 2', '2.5e2 * 2 = 500'],
    ['what do you make of 1e-7 * 1 then', '1e-7 * 1 = 0.0000001'],
    ['12,345.5 + 1', '12345.5 + 1 = 12346.5'],
    ['0.1 * 3', '0.1 * 3 = 0.3'],
    ['1.0001^10000', '1.0001^10000 is about 2.71814592682'],
    ['10/0', '10/0 has no result that I can write down.'],
  ],
  dates: [
    ['What day of the week was 2024-02-29?', '2024-02-29 is a Thursday.'],
    [
      'How many days between 2024-01-01 and 2024-03-01?',
      'There are 60 days between 2024-01-01 and 2024-03-01.',
    ],
    ['What date is 30 days after 15 February 2024?', '30 days after 2024-02-15 is 2024-03-16, a Saturday.'],
    [
      '2024-01-31 plus 1 month',
      '1 month after 2024-01-31 is 2024-02-29, a Thursday. (The month that this leads to has no day 31: its last day was taken.)',
    ],
    [
      'What is the date 1 year after 2024-02-29?',
      '1 year after 2024-02-29 is 2025-02-28, a Friday. (The month that this leads to has no day 29: its last day was taken.)',
    ],
    [
      'What is the date 3 months before 2024-05-31?',
      '3 months before 2024-05-31 is 2024-02-29, a Thursday. (The month that this leads to has no day 31: its last day was taken.)',
    ],
    ['What is the date 3 months before 2024-05-29?', '3 months before 2024-05-29 is 2024-02-29, a Thursday.'],
    ['2024-05-01 - 2024-04-01', 'There are 30 days between 2024-05-01 and 2024-04-01.'],
    ['2024-05-01 - 3 days', '3 days before 2024-05-01 is 2024-04-28, a Sunday.'],
    ['What is 2024-05-01 + 3 days?', '3 days after 2024-05-01 is 2024-05-04, a Saturday.'],
    ['2023-02-30 plus 1 day', 'There is no 2023-02-30: no such day is in the calendar.'],
    ['31 April 2024 what day', 'There is no 31 April 2024: no such day is in the calendar.'],
    [
      'How many weeks between 2024-01-01 and 2024-03-01?',
      'There are 8 weeks and 4 days between 2024-01-01 and 2024-03-01.',
    ],
    [
      'How many weeks are between 2024-01-01 and 2024-01-08?',
      'There is 1 week between 2024-01-01 and 2024-01-08.',
    ],
    ['how many days after 2024-01-01 is 2024-01-31', 'There are 30 days between 2024-01-01 and 2024-01-31.'],
    ['what day is two weeks after 2024-01-01?', '2 weeks after 2024-01-01 is 2024-01-15, a Monday.'],
    ['what is the date 3 days from now', '3 days after 2026-08-02 is 2026-08-05, a Wednesday.'],
    ['10 days ago was what date', '10 days before 2026-08-02 is 2026-07-23, a Thursday.'],
    ['1 year and 2 days after 2024-01-01', '1 year and 2 days after 2024-01-01 is 2025-01-03, a Friday.'],
    ['2024-02-29 day of the week', '2024-02-29 is a Thursday.'],
    ['What day is it on 2024-05-01?', '2024-05-01 is a Wednesday.'],
    ['what day is it tomorrow', 'Tomorrow is Monday, 2026-08-03 (UTC).'],
    ['what day is it?', 'Today is Sunday, 2026-08-02 (UTC).'],
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
    ['How many times does "an" occur in "banana"?', '"an" occurs 2 times in "banana".'],
    [
      'How many times does "ana" occur in "banana"?',
      '"ana" occurs 1 time in "banana", or 2 times where overlaps count.',
    ],
    ['How often does "the" appear in "the other"?', '"the" occurs 2 times in "the other".'],
    [
      'How many times does the word "the" appear in "the other"?',
      'The word "the" occurs 1 time in "the other".',
    ],
    ['How many times does the word "a" occur in "a banana"?', 'The word "a" occurs 1 time in "a banana".'],
    [
      'How many times does the word cat occur in "the cat sat"?',
      'The word "cat" occurs 1 time in "the cat sat".',
    ],
    ['How many times does "a" occur in "Banana"?', 'The letter "a" occurs 3 times in "Banana".'],
    ['How many lines are in "a\nb"', 'There are 2 lines in your text.'],
    ['How many lines are in "note: a\nb"?', 'There are 2 lines in your text.'],
    ['How many words are in this sentence?', 'There are 7 words in "How many words are in this sentence?".'],
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
    ['Repeat "ab" 3 times', 'ababab'],
    ["repeat 'ab' twice.", 'abab'],
    ['Repeat the word "ab" three times', 'ab ab ab'],
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

  it('gives no answer rather than that of a part, or of another reading', () => {
    for (const text of [
      '0x10 + 1',
      '3,5 + 1',
      '1 + 3,5',
      '0,125 + 1',
      '1.234,5 + 1',
      '1.234,567 + 1',
      '12:30 + 1',
      '3 + 4x',
      'what is x - 3 * 4',
      '3 * 4 + x',
      '50% + 10',
      '200 + 10%',
      '200 + 10 percent',
      'what is 100 / 10% of 50',
      'twenty-two plus 3',
      'thirty two plus 3',
      'the cube root of 27 + 1',
      'what is 3 * 5 million',
      '3 * 4!',
      '-7 % 3',
      '2 + 3 * pi',
      '01/02/2024 - 01/01/2024',
      '-5 squared',
      'It takes 3 - 5 days',
      'how many months between 2024-01-01 and 2024-03-01',
      'how many working days between 2024-01-01 and 2024-03-01',
      'what day is twenty days after 2024-01-01',
      'what is the date 1.5 years after 2024-01-01',
      'what is the date next Friday',
      'what is the date after 2 fortnights',
      'I like cats. How many words are in this sentence?',
      'How many letters are in the alphabet?',
      'How many words are in my essay?',
      'Repeat "ab" 3 times, with commas between',
      'Repeat "ab" 99999 times',
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
