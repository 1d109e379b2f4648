import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { hrefOf, type View } from '../shell/location.ts'

/** Focuses the row of a request again when its panel is closed: with the panel went what had the focus. */
export function useReturnFocus(list: RefObject<HTMLElement>, view: View, open: string | undefined): void {
  const last = useRef(open)
  useEffect(() => {
    const { current } = last
    last.current = open
    if (open !== undefined || current === undefined) return
    const links = [...(list.current?.querySelectorAll<HTMLAnchorElement>('.row-link') ?? [])]
    const link = links.find(({ hash }) => hash.split('?', 1)[0] === hrefOf(view, current))
    ;(link ?? list.current?.querySelector('h1'))?.focus()
  }, [open])
}
