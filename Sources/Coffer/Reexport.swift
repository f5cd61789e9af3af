// A program that imports Coffer has models, predicates and values too.
@_exported public import CofferModel
