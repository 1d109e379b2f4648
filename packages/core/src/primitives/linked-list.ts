/** The node of an item in a list. An item in two lists has two nodes. */
export class ListNode<T> {
  readonly item: T
  previous: ListNode<T> | undefined
  next: ListNode<T> | undefined

  constructor(item: T) {
    this.item = item
  }
}

/** A doubly linked list: items are appended, and removed from anywhere, in constant time. */
export class LinkedList<T> {
  first: ListNode<T> | undefined
  #last: ListNode<T> | undefined

  append(node: ListNode<T>): void {
    node.previous = this.#last
    node.next = undefined
    if (this.#last === undefined) this.first = node
    else this.#last.next = node
    this.#last = node
  }

  /** Removes a node, which must be in this list. */
  remove(node: ListNode<T>): void {
    const { previous, next } = node
    if (previous === undefined) this.first = next
    else previous.next = next
    if (next === undefined) this.#last = previous
    else next.previous = previous
    node.previous = undefined
    node.next = undefined
  }

  moveToEnd(node: ListNode<T>): void {
    if (node === this.#last) return
    this.remove(node)
    this.append(node)
  }
}
