// Where something stands in what is in order.

/** How many of so many, in their order, are below.
 * @param {number} count
 * @param {(at: number) => boolean} isBelow */
export function below(count, isBelow) {
  let low = 0;
  let high = count;
  while (low < high) {
    const half = (low + high) >> 1;
    if (isBelow(half)) low = half + 1;
    else high = half;
  }
  return low;
}
