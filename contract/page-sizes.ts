/** Cards on one page of the directory, unless the request asks for another number. */
export const cardsPerPage = 24;

/** Maximum number of cards that a request can ask for. */
export const maxCardsPerPage = 96;
