import { GatewayError } from '@sluice/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { base64Of, dataUrl } from './data-url.ts'
import { fileData, textOfBase64 } from './file-data.ts'
import { type ImageSource, imageData } from './image-data.ts'

const at = 'messages[0].content[1]'
const image = (url: string) => ({ kind: 'image' as const, url, path: at })
const file = ({ file_data: data, file_id: fileId, filename }: Fields) => ({
  kind: 'file' as const,
  path: at,
  ...(data === undefined ? {} : { data }),
  ...(fileId === undefined ? {} : { fileId }),
  ...(filename === undefined ? {} : { filename }),
})
const source = (more: Partial<ImageSource> = {}): ImageSource => ({
  fetchImage: undefined,
  signal: undefined,
  mediaTypes: ['image/png'],
  ...more,
})
const bytes = Uint8Array.of(1, 2, 3)

interface Fields {
  readonly file_data?: string
  readonly file_id?: string
  readonly filename?: string
}

describe('dataUrl', () => {
  it.each([
    ['data:image/PNG;base64,AQID', { mediaType: 'image/png', base64: 'AQID' }],
    ['DATA:image/png;charset=x;BASE64,AQID', { mediaType: 'image/png', base64: 'AQID' }],
    ['data:text/plain,a%20b', { mediaType: 'text/plain', base64: btoa('a b') }],
    ['data:,x', { mediaType: 'text/plain', base64: btoa('x') }],
    ['data:text/plain,%', undefined],
    ['data:text/plain', undefined],
    [`data:text/plain;${'x'.repeat(900)},y`, { mediaType: 'text/plain', base64: btoa('y') }],
    [`data:image/png${';'.repeat(1_000)}base64,AQID`, undefined],
    ['https://there.test/a.png', undefined],
  ])('reads %s', (url, read) => {
    expect(dataUrl(url)).toEqual(read)
  })

  it('writes base64 as everybody else does, however long', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), some => {
        expect(base64Of(some)).toBe(Buffer.from(some).toString('base64'))
      }),
    )
    const long = new Uint8Array(100_000).fill(7)
    expect(base64Of(long)).toBe(Buffer.from(long).toString('base64'))
  })
})

describe('imageData', () => {
  it('takes what is within the request', async () => {
    const read = await imageData(image('data:image/png;base64,AQID'), source())
    expect(read).toEqual({ mediaType: 'image/png', base64: 'AQID' })
  })

  it('fetches a link where somebody fetches, and gives it the signal', async () => {
    const signal = new AbortController().signal
    const asked: unknown[] = []
    const fetchImage: ImageSource['fetchImage'] = async (...args) => {
      asked.push(args)
      return { mediaType: 'Image/PNG; q=1', data: bytes }
    }
    const read = await imageData(image('https://there.test/a'), source({ fetchImage, signal }))
    expect(read).toEqual({ mediaType: 'image/png', base64: 'AQID' })
    expect(asked).toEqual([['https://there.test/a', signal]])
  })

  it.each<[string, string, Partial<ImageSource>, object]>([
    ['a link that nobody fetches', 'https://there.test/a', {}, { code: 'unsupported_value' }],
    ['a data URL that is none', 'data:image/png', {}, { code: 'invalid_value' }],
    ['a kind that the vendor lacks', 'data:image/bmp;base64,AQID', {}, { code: 'unsupported_value' }],
    [
      'an image that cannot be fetched',
      'https://there.test/a',
      {
        fetchImage: async () => {
          throw new Error('secret.internal')
        },
      },
      { code: 'invalid_image_url', message: expect.not.stringContaining('internal') },
    ],
    [
      'what the fetcher itself refuses',
      'https://there.test/a',
      {
        fetchImage: async () => {
          throw new GatewayError('invalid_value', { message: 'no', param: `${at}.image_url.url` })
        },
      },
      { message: 'no' },
    ],
  ])('refuses %s', async (_, url, more, error) => {
    const refused = imageData(image(url), source(more))
    await expect(refused).rejects.toMatchObject({ status: 400, param: `${at}.image_url.url`, ...error })
  })
})

describe('fileData', () => {
  it.each([
    [{ file_data: 'data:application/pdf;base64,AQID', filename: 'a.pdf' }, 'application/pdf', 'a.pdf'],
    [{ file_data: 'AQID', filename: 'b.CSV' }, 'text/csv', 'b.CSV'],
  ])('reads %o', (fields, mediaType, filename) => {
    expect(fileData(file(fields))).toEqual({ mediaType, base64: 'AQID', filename })
  })

  it.each([
    [{ file_id: 'file-1' }, `${at}.file.file_id`],
    [{}, `${at}.file.file_data`],
    [{ file_data: 'AQID' }, `${at}.file.file_data`],
    [{ file_data: 'not base64!', filename: 'a.pdf' }, `${at}.file.file_data`],
    [{ file_data: 'AQID', filename: 'a.constructor' }, `${at}.file.file_data`],
    [{ file_data: 'AQID', filename: 'a.__proto__' }, `${at}.file.file_data`],
  ])('refuses %o', (fields, param) => {
    expect(() => fileData(file(fields))).toThrow(expect.objectContaining({ status: 400, param }))
  })

  it('reads text, and says where there is none', () => {
    expect(textOfBase64(Buffer.from('äß').toString('base64'))).toBe('äß')
    expect(textOfBase64('/w==')).toBeUndefined()
    expect(textOfBase64('!')).toBeUndefined()
  })
})
