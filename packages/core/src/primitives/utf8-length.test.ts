import fc from 'fast-check'
import { expect, it } from 'vitest'
import { utf8Length } from './utf8-length.ts'

it('utf8Length counts what TextEncoder writes, of any text', () => {
  const units = fc.array(
    fc.constantFrom(0x41, 0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xd800, 0xdbff, 0xdc00, 0xdfff, 0xffff),
  )
  fc.assert(
    fc.property(
      fc.oneof(
        units.map(of => String.fromCharCode(...of)),
        fc.string({ unit: 'binary' }),
      ),
      text => {
        expect(utf8Length(text)).toBe(new TextEncoder().encode(text).length)
      },
    ),
  )
})
