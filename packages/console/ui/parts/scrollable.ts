/** For an element that scrolls: the keyboard has to reach it, although there is nothing in it to press. */
export const scrollable = { tabIndex: 0 } as const
