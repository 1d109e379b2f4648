import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chatDraft } from '../../test/support/chat-draft.ts'
import type { JsonObject } from '../protocol/chat.ts'
import { mediaAllowance } from './media.ts'
import { promptEstimate } from './prompt-estimate.ts'

const bytesOf = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length
const withParts = (...parts: JsonObject[]) =>
  chatDraft({ body: { model: 'm', messages: [{ role: 'user', content: parts }] } })
/** What a request would come to without the data of its media. */
const without = (length: number, ...parts: JsonObject[]) =>
  Math.ceil((withParts(...parts).bytes - length) / 3)
const base64 = 'QUJD'.repeat(10_000)

describe('promptEstimate', () => {
  it('is a third of the bytes, rounded up', () => {
    expect(promptEstimate(chatDraft({ bytes: 100 }))).toBe(34)
    expect(promptEstimate(chatDraft({ bytes: 0 }))).toBe(1)
  })

  it('counts what is not ASCII by its bytes', () => {
    const body = { model: 'm', messages: [{ role: 'user', content: '日本語'.repeat(100) }] }
    expect(promptEstimate(chatDraft({ body }))).toBe(Math.ceil(bytesOf(body) / 3))
    expect(bytesOf(body)).toBeGreaterThan(900)
  })

  it.each([
    [
      'an image',
      { type: 'image_url', image_url: { url: `data:image/png;base64,${base64}` } },
      mediaAllowance.image,
    ],
    [
      'an image of low detail',
      { type: 'image_url', image_url: { url: `data:image/png;base64,${base64}`, detail: 'low' } },
      mediaAllowance.lowImage,
    ],
    ['audio', { type: 'input_audio', input_audio: { data: base64, format: 'wav' } }, mediaAllowance.audio],
    [
      'a file',
      { type: 'file', file: { file_data: `data:application/pdf;base64,${base64}` } },
      mediaAllowance.file,
    ],
    [
      'a file with a name',
      { type: 'file', file: { file_data: base64, filename: 'a.PDF' } },
      mediaAllowance.file,
    ],
    [
      'an image as a string',
      { type: 'image_url', image_url: `data:image/png;base64,${base64}` },
      mediaAllowance.image,
    ],
    ['audio as a string', { type: 'input_audio', input_audio: base64 }, mediaAllowance.audio],
    [
      'a document',
      { type: 'document_url', document_url: `data:application/pdf;base64,${base64}` },
      mediaAllowance.file,
    ],
    [
      'a video',
      { type: 'video_url', video_url: { url: `data:video/mp4;base64,${base64}` } },
      mediaAllowance.video,
    ],
  ])('counts %s by an allowance in the place of its data', (_, part, allowance) => {
    expect(promptEstimate(withParts(part))).toBe(without(base64.length, part) + allowance)
  })

  it.each([
    [
      'an image elsewhere',
      { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
      mediaAllowance.image,
    ],
    [
      'an image in the clear',
      { type: 'image_url', image_url: { url: `data:image/svg+xml,${'<svg/>'.repeat(1_000)}` } },
      mediaAllowance.image,
    ],
    ['a file that the vendor has', { type: 'file', file: { file_id: 'file-1' } }, mediaAllowance.file],
    [
      'an image elsewhere, as a string',
      { type: 'image_url', image_url: 'https://a.example/a' },
      mediaAllowance.image,
    ],
    [
      'a document elsewhere',
      { type: 'document_url', document_url: 'https://a.example/a' },
      mediaAllowance.file,
    ],
    ['a file elsewhere', { type: 'file_url', file_url: { url: 'https://a.example/a' } }, mediaAllowance.file],
    [
      'audio elsewhere',
      { type: 'audio_url', audio_url: { url: 'https://a.example/a' } },
      mediaAllowance.audio,
    ],
    [
      'a video elsewhere',
      { type: 'video_url', video_url: { url: 'https://a.example/a' } },
      mediaAllowance.video,
    ],
    ['a text document', { type: 'document_url', document_url: `data:text/plain;base64,${base64}` }, 0],
    ['a text file', { type: 'file', file: { file_data: `data:text/plain;base64,${base64}` } }, 0],
    ['a text file with a name', { type: 'file', file: { file_data: base64, filename: 'a.txt' } }, 0],
    ['a file of no known kind', { type: 'file', file: { file_data: base64 } }, 0],
    ['text', { type: 'text', text: `data:image/png;base64,${base64}` }, 0],
  ])('counts %s by all of its bytes', (_, part, allowance) => {
    expect(promptEstimate(withParts(part))).toBe(without(0, part) + allowance)
  })

  it('adds up the parts of all messages', () => {
    const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${base64}` } }
    const one = promptEstimate(withParts(image))
    const body = { model: 'm', messages: [1, 2, 3].map(() => ({ role: 'user', content: [image] })) }
    expect(promptEstimate(chatDraft({ body }))).toBeGreaterThanOrEqual(3 * mediaAllowance.image)
    expect(promptEstimate(chatDraft({ body }))).toBeLessThan(3 * one)
  })

  it('is a whole number for any body at all', () => {
    const part = fc.oneof(
      fc.jsonValue(),
      fc.record({
        type: fc.constantFrom('image_url', 'input_audio', 'file', 'text', 'video_url', 'document_url', null),
        image_url: fc.jsonValue(),
        video_url: fc.jsonValue(),
        document_url: fc.jsonValue(),
        input_audio: fc.jsonValue(),
        file: fc.oneof(fc.jsonValue(), fc.record({ file_data: fc.jsonValue(), filename: fc.jsonValue() })),
      }),
    )
    const messages = fc.oneof(
      fc.jsonValue(),
      fc.array(fc.oneof(fc.jsonValue(), fc.record({ content: fc.array(part) }))),
    )
    fc.assert(
      fc.property(messages, messages => {
        const body = { model: 'm', messages } as JsonObject
        const estimate = promptEstimate(chatDraft({ body }))
        expect(Number.isSafeInteger(estimate) && estimate > 0).toBe(true)
      }),
    )
  })
})
