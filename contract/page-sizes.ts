/** Cards on one page of the directory, unless the request specifies another number. */
export const cardsPerPage = 24;

/** Maximum number of cards that a request can specify. */
export const maxCardsPerPage = 96;
